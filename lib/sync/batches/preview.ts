import { sql } from 'kysely';
import { int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { type BatchAction, countedMax } from './batch.ts';
import { along, filterOf, isSelected, type Selection } from './walk.ts';

/** How many associations of a destination have a status. */
export interface PreviewCount {
  readonly type: string;
  readonly name: string;
  readonly status: string;
  readonly count: number;
}

export interface Preview {
  /** Up to `countedMax`. */
  readonly total: number;
  /** False when more match than were counted. */
  readonly exact: boolean;
  readonly counts: readonly PreviewCount[];
}

/** Destinations times statuses that a preview shows. */
const countsMax = 1_000;

/** What a batch would change now. Changes nothing. */
export async function previewBatch(
  { db }: Pick<Store, 'db'>,
  action: BatchAction,
  selection: Selection,
): Promise<Preview> {
  const filter = filterOf(action, selection.filter);
  const { rows } = await rowsOf({ type: text, name: text, status: text, count: int })`
    with found as materialized (
      select a.type, d.name, a.status from (select * from associations where ${along(filter)}) a
        join destinations d on d.id = a.destination_id
       where ${isSelected({ ...selection, filter })} limit ${countedMax + 1}::int
    )
    select type, name, status, count(*)::int as count from found group by type, name, status order by type, name, status`.execute(
    db,
  );
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  return { total: Math.min(total, countedMax), exact: total <= countedMax, counts: rows.slice(0, countsMax) };
}

/** An association as the check of rights needs it. */
export interface Matching {
  readonly id: string;
  readonly mountPath: string;
  readonly secretName: string;
}

const matchingMax = 5_000;

/** The next matching associations after `after`, by id. */
export async function matchingAfter(
  { db }: Pick<Store, 'db'>,
  selection: Selection,
  after: string,
): Promise<readonly Matching[]> {
  const { rows } = await rowsOf({ id: text, mount_path: text, secret_name: text })`
    select a.id::text as id, a.mount_path, a.secret_name
      from associations a join destinations d on d.id = a.destination_id
     where ${isSelected(selection)} and a.id > ${after}::bigint
     order by ${sql.ref('a.id')} limit ${matchingMax}::int`.execute(db);
  return rows.map(({ id, mount_path, secret_name }) => ({ id, mountPath: mount_path, secretName: secret_name }));
}
