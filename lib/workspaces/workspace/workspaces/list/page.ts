import { type RawBuilder, sql } from 'kysely';
import type { Page } from '../../../../path/jsonapi/page.ts';
import { unseen } from '../../../../store/postgres/unseen.ts';
import type { Store } from '../../../../store/store.ts';
import { inOrganization, isReadable, readableWorkspaces } from '../../../access/readable.ts';
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

/** The rows of a page with the number of all, in one statement. Beyond the end it answers the number alone. */
export async function pageOfRows(
  { db }: Pick<Store, 'db'>,
  standing: Standing,
  { selection, isNarrow, order, page }: WantedRows,
): Promise<{ readonly rows: readonly GrantedRow[]; readonly total: number }> {
  const { beforehand, counted, matched } = (isNarrow ? narrow : wide)(standing, selection, order);
  const { direction, isUnique } = order;
  const by = isUnique ? sql`m.key ${direction}` : sql`m.key ${direction}, m.id ${direction}`;
  const limits = sql`limit ${unseen(page.size, 'integer')} offset ${unseen(page.offset, 'integer')}`;
  const { rows } = await sql<GrantedRow & { readonly total: number }>`
    ${beforehand} select c.total, w.*, ${grantColumns} from (select count(*)::integer as total from ${counted}) c
      left join (select * from ${matched} m order by ${by} ${limits}) m on true
      left join lateral (select * from ws_workspaces i where i.id = m.id limit 1) w on true
      left join lateral ${grantsOfWorkspace(standing)} g on true
     order by ${by}`.execute(db);
  return { total: rows[0]?.total ?? 0, rows: rows.filter(({ id }) => id !== null) };
}

/** Where the workspaces are counted, and where a page of them is taken from with their keys. */
interface Sources {
  readonly beforehand: RawBuilder<unknown>;
  readonly counted: RawBuilder<unknown>;
  readonly matched: RawBuilder<unknown>;
}

const and = sql` and `;

const columns = sql`w.id, w.project_id, w.name, w.latest_change_at, w.current_run_id`;

/** All are found once, counted and sorted. With `offset 0` what indexes find is looked up before anything is checked. */
function narrow(standing: Standing, { found, checks }: Selection, { key, join }: Order): Sources {
  const isFound = found.length > 0;
  const source = isFound
    ? sql`(${inOrganization(standing, columns)} and ${sql.join(found, and)} offset 0)`
    : readableWorkspaces(standing, columns);
  const conditions = sql.join([isFound ? isReadable(standing) : sql`true`, ...checks], and);
  return {
    beforehand: sql`with matched as materialized (select w.id, ${key} as key from ${source} w ${join} where ${conditions})`,
    ...{ counted: sql`matched`, matched: sql`matched` },
  };
}

/** They are counted without their rows, and an index finds the page without sorting all. */
function wide(standing: Standing, { checks }: Selection, { key, join }: Order): Sources {
  const conditions = sql.join([sql`true`, ...checks], and);
  // Where nothing is asked of them, an index alone counts them.
  const counted = readableWorkspaces(standing, checks.length === 0 ? sql`1` : sql`w.id`);
  return {
    beforehand: sql``,
    counted: sql`${counted} w where ${conditions}`,
    matched: sql`(
      select w.id, ${key} as key from ws_workspaces w ${join}
       where w.organization_id = ${unseen(standing.organization.id, 'text')} and ${isReadable(standing)} and ${conditions})`,
  };
}
