import { type RawBuilder, sql } from 'kysely';
import { badRequest } from '#path/jsonapi/error.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import { pageRowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Standing } from '../../access/standing.ts';
import { likePattern } from '../../frame/like.ts';
import { agentPoolColumns, agentPoolResource, agentPoolRowColumns } from './view.ts';

interface PoolQuery {
  readonly page: Page;
  readonly order: RawBuilder<unknown>;
  /** A part of the name. */
  readonly q: string | null;
  /** The name of a workspace that may use the pools. */
  readonly workspace: string | null;
  /** The name of a project that may use the pools. */
  readonly project: string | null;
}

/** A page of the pools of an organization. */
export async function listPools(
  { db }: Pick<Store, 'db'>,
  standing: Standing,
  { page, order, q, workspace, project }: PoolQuery,
): Promise<DocumentReply> {
  const matching = sql`from ws_agent_pools p where p.organization_id = ${standing.organization.id}
    and lower(p.name) like lower(${likePattern(q)})
    ${usableBy(workspace, 'ws_workspaces', 'workspace_id', 'allowed-workspaces')}
    ${usableBy(project, 'ws_projects', 'project_id', 'allowed-projects')}`;
  const { rows } = await pageRowsOf(agentPoolRowColumns)`
    select c.total, p.* from (select count(*)::integer as total ${matching}) c
      left join (select ${agentPoolColumns(standing)} ${matching}
                  order by ${order} limit ${page.size} offset ${page.offset}) p on true
     order by ${order}`.execute(db);
  const data = rows.flatMap((row) => (row.id === null ? [] : [agentPoolResource(standing, row)]));
  return { data, page: pageInfo(page, rows[0]?.total ?? 0) };
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

/** @throws ApiError 400 for an unknown order */
export function orderOf(sort: string): RawBuilder<unknown> {
  const order = Object.hasOwn(orders, sort) ? orders[sort] : undefined;
  if (order === undefined) throw badRequest('sort must be name or created-at, with a leading - for descending order');
  return order;
}
