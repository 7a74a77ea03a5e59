import { type RawBuilder, sql } from 'kysely';
import { type Page, pageOf, told } from '../../../path/jsonapi/page.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import { grantsOfWorkspace, type Standing, standingIn } from '../../access/standing.ts';
import { type GrantedRow, grantColumns } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { foundIn, workspaceDocuments } from '../document.ts';
import { includesOf } from '../include/includes.ts';
import { conditionOf } from './condition.ts';
import { type Order, orderOf } from './order.ts';
import { listQueryOf } from './query.ts';

/** A page of the workspaces of an organization that the caller may read. */
export async function listWorkspaces(parts: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const { query } = call;
  const [page, order, narrowed] = [pageOf(query), orderOf(query), listQueryOf(query)];
  includesOf(query);
  const standing = await standingIn(parts.store, call.caller, call.parameters['organization_name'] ?? '');
  const { rows, total } = await pageOfRows(parts.store, standing, conditionOf(standing, narrowed), order, page);
  return { ...(await workspaceDocuments(parts, foundIn(standing, rows), call)), page: told(page, total) };
}

/**
 * The rows of a page with the number of all, in one statement that looks at each workspace once. Beyond the end it answers the
 * number alone.
 */
export async function pageOfRows(
  { db }: Pick<Store, 'db'>,
  standing: Standing,
  condition: RawBuilder<unknown>,
  { key, direction, join }: Order,
  page: Page,
): Promise<{ readonly rows: readonly GrantedRow[]; readonly total: number }> {
  const order = sql`m.key ${direction}, m.id ${direction}`;
  const { rows } = await sql<GrantedRow & { readonly total: number }>`
    with matched as materialized (
      select w.id, ${key} as key from ws_workspaces w ${join} where ${condition}
    )
    select c.total, w.*, ${grantColumns} from (select count(*)::integer as total from matched) c
      left join (select * from matched m order by ${order} limit ${page.size} offset ${page.offset}) m on true
      left join ws_workspaces w on w.id = m.id left join lateral ${grantsOfWorkspace(standing)} g on true
     order by ${order}`.execute(db);
  return { total: rows[0]?.total ?? 0, rows: rows.filter(({ id }) => id !== null) };
}
