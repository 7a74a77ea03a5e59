import { type RawBuilder, sql } from 'kysely';
import { badRequest } from '../../../path/jsonapi/error.ts';
import { pageOf, told } from '../../../path/jsonapi/page.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import { standingIn } from '../../access/standing.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { likePattern } from '../../frame/like.ts';
import { type AgentPoolRow, agentPoolColumns, agentPoolResource } from './view.ts';

/**
 * A page of the pools of an organization. `q` finds a part of the name; `filter[allowed_workspaces][name]` and
 * `filter[allowed_projects][name]` find what that workspace or project may use.
 */
export async function listPools(parts: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const { query } = call;
  const [page, order] = [pageOf(query), orderOf(query.get('sort') ?? '')];
  const standing = await standingIn(parts.store, call.caller, call.parameters['organization_name'] ?? '');
  const matching = sql`from ws_agent_pools p where p.organization_id = ${standing.organization.id}
    and lower(p.name) like lower(${likePattern(query.get('q'))})
    ${usableBy(query.get('filter[allowed_workspaces][name]'), 'ws_workspaces', 'workspace_id', 'allowed-workspaces')}
    ${usableBy(query.get('filter[allowed_projects][name]'), 'ws_projects', 'project_id', 'allowed-projects')}`;
  const { rows } = await sql<AgentPoolRow & { readonly total: number }>`
    select c.total, p.* from (select count(*)::integer as total ${matching}) c
      left join (select ${agentPoolColumns(standing)} ${matching}
                  order by ${order} limit ${page.size} offset ${page.offset}) p on true
     order by ${order}`.execute(parts.store.db);
  const shown = rows.filter(({ id }) => id !== null);
  return { data: shown.map((row) => agentPoolResource(standing, row)), page: told(page, rows[0]?.total ?? 0) };
}

function usableBy(name: string | null, table: string, column: string, kind: string): RawBuilder<unknown> {
  if (name === null || name === '') return sql``;
  return sql`and (p.organization_scoped or exists (
    select 1 from ws_agent_pool_scopes s join ${sql.table(table)} t on t.id = s.${sql.raw(column)}
     where s.agent_pool_id = p.id and s.kind = ${kind} and lower(t.name) = lower(${name})))`;
}

const orders: Readonly<Record<string, RawBuilder<unknown>>> = {
  '': sql`lower(p.name), p.id`,
  name: sql`lower(p.name), p.id`,
  '-name': sql`lower(p.name) desc, p.id desc`,
  'created-at': sql`p.created_at, p.id`,
  '-created-at': sql`p.created_at desc, p.id desc`,
};

function orderOf(sort: string): RawBuilder<unknown> {
  const order = Object.hasOwn(orders, sort) ? orders[sort] : undefined;
  if (order === undefined) throw badRequest('sort has to be name or created-at, with - in front for the reverse');
  return order;
}
