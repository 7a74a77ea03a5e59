import { pick, type RowOf } from '#store/sql/columns.ts';
import { bigintText, int, nullable } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { syncAttemptsTable } from '#store/tables/sync.ts';
import { recordColumns } from '../model/finish.ts';

/** Attempts that are kept of an association. */
export const attemptsPerRecord = 20;
/** Attempts that are kept in all; the oldest go first. */
const attemptsMax = 2_000_000;
const keptDays = 30;
const pageSize = 1_000;

/** An attempt as the history shows it. */
export type ListedAttempt = RowOf<typeof listedAttemptColumns>;

const listedAttemptColumns = {
  ...pick(syncAttemptsTable, 'generation', 'ended_at', 'duration_ms', 'calls', 'outcome', 'request_id'),
  error: recordColumns.error,
};

/** The last attempts of an association, the newest first. */
export async function historyOf({ db }: Pick<Store, 'db'>, associationId: string): Promise<readonly ListedAttempt[]> {
  const { rows } = await rowsOf(listedAttemptColumns)`
    select generation, ended_at, duration_ms, calls, outcome, request_id, error
      from sync_attempts where association_id = ${associationId}::bigint
     order by id desc limit ${attemptsPerRecord}::int`.execute(db);
  return rows;
}

/** Where the next page of a pruning begins. */
export interface HistoryPlace {
  readonly association: string;
  readonly attempt: string;
}

export const historyStart: HistoryPlace = { association: '0', attempt: '0' };

/**
 * Deletes from one page of the history what is beyond a bound: more attempts of an association than are kept, attempts of deleted
 * associations, old ones, and the oldest when there are too many in all. Returns the next place, the start after the last page.
 */
export async function pruneHistory(
  { db }: Pick<Store, 'db'>,
  { association, attempt }: HistoryPlace,
): Promise<HistoryPlace> {
  const { rows } = await rowsOf({ association: nullable(bigintText), attempt: nullable(bigintText), count: int })`
    with page as materialized (
      select association_id, id, ended_at from sync_attempts
       where (association_id, id) > (${association}::bigint, ${attempt}::bigint)
       order by association_id, id limit ${pageSize}::int
    ),
    dropped as (
      delete from sync_attempts s using page p
       where s.association_id = p.association_id and s.id = p.id
         and (p.ended_at < now() - ${keptDays}::int * interval '1 day'
              or p.id <= (select last_value from sync_attempts_id_seq) - ${attemptsMax}::bigint
              or not exists (select 1 from associations a where a.id = p.association_id)
              or (select count(*) from (
                    select 1 from sync_attempts n where n.association_id = p.association_id and n.id > p.id
                     limit ${attemptsPerRecord}::int) newer) >= ${attemptsPerRecord}::int)
    ),
    last as (select association_id, id from page order by association_id desc, id desc limit 1)
    select (select association_id from last)::text as association, (select id from last)::text as attempt,
           (select count(*)::int from page) as count`.execute(db);
  const [last] = rows;
  if (last === undefined || last.count < pageSize || last.association === null || last.attempt === null)
    return historyStart;
  return { association: last.association, attempt: last.attempt };
}
