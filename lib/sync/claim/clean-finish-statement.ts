import { sql } from 'kysely';
import type { Finish } from '../reconcile/outcome.ts';
import { asynchronousCommit } from './asynchronous-commit.ts';
import type { FinishRow } from './finish-statement.ts';

/** The outcome of nearly every attempt: all is there that should be, and nothing else is to be written down. */
export const isClean = ({ done, status, error, attempts, removed, buried, remembered, written }: Finish): boolean =>
  done &&
  status === 'SYNCED' &&
  error === null &&
  attempts === 0 &&
  removed.length === 0 &&
  buried.length === 0 &&
  remembered === null &&
  written.every(({ noted }) => noted);

/**
 * Writes clean outcomes back, and does to the rows what `finishStatement` does. It reads arrays instead of documents and leaves
 * columns alone that stay as they are, which takes PostgreSQL less than half the time.
 */
export function cleanFinishStatement(inputs: readonly Finish[]) {
  const objects = inputs.flatMap(({ id, written }) => written.map((object) => ({ id, ...object })));
  return sql<FinishRow>`
  with asynchronous_commit as (${asynchronousCommit}),
  held as (
    select a.id, a.generation > i.generation as newer, i.generation, i.records
      from associations a
      join unnest(${inputs.map(({ id }) => id)}::bigint[], ${inputs.map(({ token }) => token)}::text[],
                  ${inputs.map(({ generation }) => generation)}::int[],
                  ${inputs.map(({ records }) => JSON.stringify(records))}::jsonb[])
        as i (id, token, generation, records) on i.id = a.id and i.token = a.claimed_by
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
  updated as (
    update associations a
       set observed_generation = greatest(a.observed_generation, held.generation),
           status = case when held.newer then 'PENDING' else 'SYNCED' end, error = null, records = held.records, attempts = 0,
           next_attempt_at = null, dirty_since = case when held.newer then coalesce(a.dirty_since, now()) end,
           updated_at = now(), claimed_by = null, claimed_until = null
      from held where a.id = held.id
  )
  select held.id::text as id, held.newer, null::text as purged from held cross join asynchronous_commit`;
}
