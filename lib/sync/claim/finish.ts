import { sql } from 'kysely';
import { coalesce, splitting } from '#core/concurrency/coalesce.ts';
import type { Log } from '#core/log/log.ts';
import { isAway } from '#store/postgres/failure.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Finish, Finished } from '../model/finish.ts';
import { asynchronousCommit } from './asynchronous-commit.ts';
import { type DestinationResults, destinationResults } from './destination-results.ts';
import { type FinishRow, finishRowColumns, finishStatement } from './finish-statement.ts';

/**
 * Stores the outcomes of attempts, in batches. After a failed push the value at the destination is unknown (the answer may
 * have been lost), so the fingerprint is cleared: if the secret returns to its old value, it is pushed. An association that
 * had to go and has left nothing behind is deleted with its rows; deleting the last one of a destination under purge deletes
 * the destination too.
 */
export function finishes(
  store: Store,
  log: Log,
  results: DestinationResults = destinationResults(store, log),
): (finish: Finish) => Promise<Finished> {
  const together = (statement: FinishStatement) =>
    coalesce(
      splitting((inputs: readonly Finish[]) => finishBatch(store, statement, results, inputs), isAway),
      { batchSizeMax: 64, batchesMax: 2 },
    );
  const clean = together(cleanFinishStatement);
  const others = together(finishStatement);
  return async (finish) => (await (isClean(finish) ? clean : others)(finish))();
}

type FinishStatement = typeof finishStatement;

async function finishBatch(
  store: Store,
  statement: FinishStatement,
  results: DestinationResults,
  inputs: readonly Finish[],
): Promise<readonly Finished[]> {
  const { rows } = await statement(inputs).execute(store.db);
  const stored = new Map(rows.map((row) => [row.id, row]));
  const purged = [...new Set(rows.flatMap((row) => (row.purged === null ? [] : [row.purged])))];
  if (purged.length > 0) await dropPurged(purged).execute(store.db);
  await results.keep(inputs.flatMap((finish) => endedAs(finish, stored.get(finish.id))));
  return inputs.map(({ id }) => {
    const row = stored.get(id);
    if (row === undefined) return 'lost';
    return row.newer ? 'superseded' : 'settled';
  });
}

const endedAs = (finish: Finish, row: FinishRow | undefined) =>
  row === undefined ? [] : [{ destinationId: row.destination_id, finish }];

/** Deletes destinations under purge that have no association left. */
export const dropPurged = (ids: readonly string[]) => sql`
  delete from destinations d
   where d.id = any(${ids}::bigint[]) and d.purge_initiated_at is not null
     and not exists (select 1 from associations a where a.destination_id = d.id)`;

/** The outcome of nearly every attempt: every object is in place and nothing else has to be recorded. */
export const isClean = ({ done, status, error, attempts, removed, tombstoned, remembered, written }: Finish): boolean =>
  done &&
  status === 'SYNCED' &&
  error === null &&
  attempts === 0 &&
  removed.length === 0 &&
  tombstoned.length === 0 &&
  remembered === null &&
  written.every(({ noted }) => noted);

/**
 * Stores clean outcomes with the same effect on the rows as `finishStatement`. It reads arrays instead of documents and
 * writes only the columns that change, which takes PostgreSQL less than half the time.
 */
export function cleanFinishStatement(inputs: readonly Finish[]) {
  const objects = inputs.flatMap(({ id, written }) => written.map((object) => ({ id, ...object })));
  return rowsOf(finishRowColumns)`
  with asynchronous_commit as (${asynchronousCommit}),
  held as (
    select a.id, a.generation > i.generation as newer, a.destination_id, i.generation, i.records, i.duration_ms, i.calls
      from associations a
      join unnest(${inputs.map(({ id }) => id)}::bigint[], ${inputs.map(({ token }) => token)}::text[],
                  ${inputs.map(({ generation }) => generation)}::int[],
                  ${inputs.map(({ records }) => JSON.stringify(records))}::jsonb[],
                  ${inputs.map(({ attempt }) => attempt.durationMs)}::int[], ${inputs.map(({ attempt }) => attempt.calls)}::float8[])
        as i (id, token, generation, records, duration_ms, calls) on i.id = a.id and i.token = a.claimed_by
     order by a.id for no key update of a
  ),
  kept as (
    update sync_objects o
       set written_at = now(), remote_version = w.remote_version, fingerprint = w.fingerprint
      from held
      join unnest(${objects.map(({ id }) => id)}::bigint[], ${objects.map(({ name_key }) => name_key)}::text[],
                  ${objects.map(({ remote_version }) => remote_version)}::text[],
                  ${objects.map(({ fingerprint }) => fingerprint)}::bytea[])
        as w (id, name_key, remote_version, fingerprint) on w.id = held.id
     where o.association_id = w.id and o.name_key = w.name_key
  ),
  attempted as (
    insert into sync_attempts (association_id, generation, duration_ms, calls, outcome)
    select id, generation, duration_ms, calls, 'synced' from held
  ),
  updated as (
    update associations a
       set observed_generation = greatest(a.observed_generation, held.generation),
           status = case when held.newer then 'PENDING' else 'SYNCED' end, error = null, records = held.records, attempts = 0,
           next_attempt_at = null, dirty_since = case when held.newer then coalesce(a.dirty_since, now()) end,
           updated_at = now(), claimed_by = null, claimed_until = null, drift = null, drift_at = null
      from held where a.id = held.id
  )
  select held.id::text as id, held.destination_id::text as destination_id, held.newer, null::text as purged
    from held cross join asynchronous_commit`;
}
