import { sql } from 'kysely';
import type { Page } from '../../../../path/jsonapi/page.ts';
import type { Store } from '../../../../store/store.ts';
import { grantsOfWorkspace, type Standing } from '../../../access/standing.ts';
import { type GrantedRow, grantColumns } from '../../../access/workspace.ts';
import type { Selection } from './condition.ts';
import type { Order } from './order.ts';

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
