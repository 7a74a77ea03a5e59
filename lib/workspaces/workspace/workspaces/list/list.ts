import { sql } from 'kysely';
import { type Page, pageOf, told } from '../../../../path/jsonapi/page.ts';
import type { ApiCall, DocumentReply } from '../../../../path/jsonapi/row.ts';
import type { Store } from '../../../../store/store.ts';
import { grantsOfWorkspace, type Standing, standingIn } from '../../../access/standing.ts';
import { type GrantedRow, grantColumns } from '../../../access/workspace.ts';
import type { WorkspaceParts } from '../../../contract.ts';
import { foundIn, workspaceDocuments } from '../document.ts';
import { includesOf } from '../include/includes.ts';
import { type Selection, selectionOf } from './condition.ts';
import { type Order, orderOf } from './order.ts';
import { isNarrowing, listQueryOf } from './query.ts';

/** A page of the workspaces of an organization that the caller may read. */
export async function listWorkspaces(parts: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const { query } = call;
  const [page, order, narrowed] = [pageOf(query), orderOf(query), listQueryOf(query)];
  includesOf(query);
  const standing = await standingIn(parts.store, call.caller, call.parameters['organization_name'] ?? '');
  const selection = selectionOf(standing, narrowed);
  const isNarrow = isNarrowing(narrowed);
  const { rows, total } = await pageOfRows(parts.store, standing, { selection, isNarrow, order, page });
  return { ...(await workspaceDocuments(parts, foundIn(standing, rows), call)), page: told(page, total) };
}

export interface WantedRows {
  readonly selection: Selection;
  /** Whether it leaves few of those that the caller may read, or takes time: then it is asked once for each workspace. */
  readonly isNarrow: boolean;
  readonly order: Order;
  readonly page: Page;
}

/**
 * The rows of a page with the number of all, in one statement. Beyond the end it answers the number alone. Where the condition
 * leaves most, an index finds the page without sorting all.
 */
export async function pageOfRows(
  { db }: Pick<Store, 'db'>,
  standing: Standing,
  { selection, isNarrow, order, page }: WantedRows,
): Promise<{ readonly rows: readonly GrantedRow[]; readonly total: number }> {
  const { key, direction, join, isUnique } = order;
  const by = isUnique ? sql`m.key ${direction}` : sql`m.key ${direction}, m.id ${direction}`;
  const { rows } = await sql<GrantedRow & { readonly total: number }>`
    with matched as ${isNarrow ? sql`materialized` : sql`not materialized`} (
      select w.id, ${key} as key from ${selection.from} ${join} where ${selection.where}
    )
    select c.total, w.*, ${grantColumns} from (select count(*)::integer as total from matched) c
      left join (select * from matched m order by ${by} limit ${page.size} offset ${page.offset}) m on true
      left join ws_workspaces w on w.id = m.id left join lateral ${grantsOfWorkspace(standing)} g on true
     order by ${by}`.execute(db);
  return { total: rows[0]?.total ?? 0, rows: rows.filter(({ id }) => id !== null) };
}
