import { type RawBuilder, sql } from 'kysely';
import type { Page } from '#path/jsonapi/page.ts';
import { opaqueParameter } from '#store/postgres/statements/parameters.ts';
import { pageRowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { inOrganization, isReadable, readableWorkspaces } from '../../access/readable.ts';
import { grantsOfWorkspace, type Standing } from '../../access/standing.ts';
import { type GrantedRow, grantColumns, grantedColumns } from '../../access/workspace.ts';
import type { Selection } from './condition.ts';
import type { Order } from './order.ts';

export interface WantedRows {
  readonly selection: Selection;
  /** Whether the selection matches few workspaces or is expensive. It is then evaluated once per workspace. */
  readonly isNarrow: boolean;
  readonly order: Order;
  readonly page: Page;
}

/** The rows of a page and the total number, in one statement. Beyond the end there are no rows. */
export async function pageOfRows(
  { db }: Pick<Store, 'db'>,
  standing: Standing,
  { selection, isNarrow, order, page }: WantedRows,
): Promise<{ readonly rows: readonly GrantedRow[]; readonly total: number }> {
  const { beforehand, counted, matched } = (isNarrow ? narrow : wide)(standing, selection, order);
  const { direction, isUnique } = order;
  const by = isUnique ? sql`m.key ${direction}` : sql`m.key ${direction}, m.id ${direction}`;
  const limits = sql`limit ${opaqueParameter(page.size, 'integer')} offset ${opaqueParameter(page.offset, 'integer')}`;
  const { rows } = await pageRowsOf(grantedColumns)`
    ${beforehand} select c.total, w.*, ${grantColumns} from (select count(*)::integer as total from ${counted}) c
      left join (select * from ${matched} m order by ${by} ${limits}) m on true
      left join lateral (select * from ws_workspaces i where i.id = m.id limit 1) w on true
      left join lateral ${grantsOfWorkspace(standing)} g on true
     order by ${by}`.execute(db);
  return { total: rows[0]?.total ?? 0, rows: rows.flatMap((row) => (row.id === null ? [] : [row])) };
}

/** The relations for counting workspaces and for selecting a page of them with their keys. */
interface Sources {
  readonly beforehand: RawBuilder<unknown>;
  readonly counted: RawBuilder<unknown>;
  readonly matched: RawBuilder<unknown>;
}

const and = sql` and `;

const columns = sql`w.id, w.project_id, w.name, w.latest_change_at, w.current_run_id`;

/** All matches are found once, counted and sorted. `offset 0` makes PostgreSQL use the index before it evaluates other conditions. */
function narrow(standing: Standing, { found, checks }: Selection, { key, join }: Order): Sources {
  const isFound = found.length > 0;
  const source = isFound
    ? sql`(${inOrganization(standing, columns)} and ${sql.join(found, and)} offset 0)`
    : readableWorkspaces(standing, columns);
  const conditions = sql.join([isFound ? isReadable(standing) : sql`true`, ...checks], and);
  return {
    beforehand: sql`with matched as materialized (select w.id, ${key} as key from ${source} w ${join} where ${conditions})`,
    counted: sql`matched`,
    matched: sql`matched`,
  };
}

/** Matches are counted without reading their rows, and an index finds the page without sorting all of them. */
function wide(standing: Standing, { checks }: Selection, { key, join }: Order): Sources {
  const conditions = sql.join([sql`true`, ...checks], and);
  // Without conditions an index-only scan counts them.
  const counted = readableWorkspaces(standing, checks.length === 0 ? sql`1` : sql`w.id`);
  return {
    beforehand: sql``,
    counted: sql`${counted} w where ${conditions}`,
    matched: sql`(
      select w.id, ${key} as key from ws_workspaces w ${join}
       where w.organization_id = ${opaqueParameter(standing.organization.id, 'text')} and ${isReadable(standing)} and ${conditions})`,
  };
}
