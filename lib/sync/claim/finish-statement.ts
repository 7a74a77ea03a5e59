import { sql } from 'kysely';
import type { RowOf } from '#store/sql/columns.ts';
import { bigintText, bool, nullable } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Finish } from '../model/finish.ts';
import { asynchronousCommit } from './asynchronous-commit.ts';

/** The result for one finish; a finish that was rejected has no row. */
export type FinishRow = RowOf<typeof finishRowColumns>;

export const finishRowColumns = {
  id: bigintText,
  destination_id: bigintText,
  newer: bool,
  /** The destination under purge whose association was deleted here. */
  purged: nullable(bigintText),
};

/**
 * The parts for failures, removals and rechecks cost as much as the rest, so they are left out when no finish needs them. An
 * unconfirmed call is on disk before this returns, because repeating the attempt would not recover that fact.
 */
export function finishStatement(inputs: readonly Finish[]) {
  const plain = inputs.every(({ error, removed }) => error === null && removed.length === 0);
  const remembering = inputs.some(({ remembered, tombstoned }) => remembered !== null || tombstoned.length > 0);
  const lasting = inputs.some(({ remembered }) => remembered?.fresh === true);
  return rowsOf(finishRowColumns)`
  with asynchronous_commit as (${lasting ? sql`select 1` : asynchronousCommit}),
  input as (
    select * from jsonb_to_recordset(${JSON.stringify(inputs)}::jsonb)
      as r(id bigint, token text, generation bigint, done boolean, status text, error jsonb, records jsonb, attempts int,
           "retryMs" float8, written jsonb, kept jsonb, removed jsonb, tombstoned jsonb, remembered jsonb)
  ),
  held as (
    select a.id, a.generation > i.generation as newer, a.destination_id, i.done, i.written, i.kept, i.removed,
           i.error is not null as failed, i.tombstoned,
           coalesce((i.remembered ->> 'over')::boolean, false) as sure,
           i.done and a.desired = 'absent' and a.generation = i.generation and i.error is null
             and coalesce((i.remembered ->> 'over')::boolean, true) as over
      from associations a join input i on i.id = a.id and i.token = a.claimed_by
     order by a.id for no key update of a
  ),
  kept as (
    update sync_objects o
       set written_at = now(), sub_key = w.sub_key, remote_version = w.remote_version, fingerprint = w.fingerprint,
           tag_keys = w.tag_keys, removed_at = null
      from held, jsonb_to_recordset(held.written)
        as w(name_key text, sub_key text, remote_version text, fingerprint bytea, tag_keys text[])
     where o.association_id = held.id and not held.over and o.name_key = w.name_key
  ),
  dropped as (
    delete from associations a using held where a.id = held.id and held.over returning a.destination_id
  ),
  ${plain ? sql`` : afterFailures}
  ${remembering ? aboutTombstones : sql``}
  ${attemptRows(inputs)},
  updated as (
    update associations a
       set observed_generation = case when i.done then greatest(a.observed_generation, i.generation) else a.observed_generation end,
           status = case when held.newer then 'PENDING' else i.status end,
           error = i.error,
           records = i.records,
           attempts = case when held.newer then 0 else i.attempts end,
           next_attempt_at = case when held.newer then null else now() + i."retryMs" * interval '1 millisecond' end,
           dirty_since = case when i.done and not held.newer then null else coalesce(a.dirty_since, now()) end,
           ${remembering ? rememberedCalls : sql``}
           drift = case when i.done and i.error is null then null else a.drift end,
           drift_at = case when i.done and i.error is null then null else a.drift_at end,
           updated_at = now(), claimed_by = null, claimed_until = null
      from held join input i on i.id = held.id
     where a.id = held.id and not held.over
  )
  select held.id::text as id, held.destination_id::text as destination_id, held.newer,
         (select d.id::text from destinations d
           where held.over and d.id = held.destination_id and d.purge_initiated_at is not null) as purged
    from held cross join asynchronous_commit`;
}

/** The part of a finish statement that adds the attempts to the history. A finish that was rejected adds nothing. */
function attemptRows(inputs: readonly Finish[]) {
  const attempts = inputs.map(({ attempt }) => attempt);
  return sql`
  attempted as (
    insert into sync_attempts (association_id, generation, duration_ms, calls, outcome, error, request_id)
    select held.id, t.generation, t.duration_ms, t.calls, t.outcome, t.error, t.request_id
      from held
      join unnest(${inputs.map(({ id }) => id)}::bigint[], ${inputs.map(({ generation }) => generation)}::int[],
                  ${attempts.map(({ durationMs }) => durationMs)}::int[], ${attempts.map(({ calls }) => calls)}::float8[],
                  ${attempts.map(({ outcome }) => outcome)}::text[],
                  ${inputs.map(({ error }) => (error === null ? null : JSON.stringify(error)))}::jsonb[],
                  ${attempts.map(({ requestId }) => requestId)}::text[])
        as t (id, generation, duration_ms, calls, outcome, error, request_id) on t.id = held.id
  )`;
}

const afterFailures = sql`
  gone as (
    delete from sync_objects o using held
     where o.association_id = held.id and not held.over and held.removed ? o.name_key
  ),
  invalidated as (
    update sync_objects o set fingerprint = null
      from held
     where o.association_id = held.id and not held.over and held.failed and o.fingerprint is not null
       and not held.removed ? o.name_key and not held.kept ? o.name_key
       and not exists (select 1 from jsonb_to_recordset(held.written) as w(name_key text) where w.name_key = o.name_key)
  ),
  blamed as (
    update destinations d set purge_error = i.error ->> 'message'
      from held join input i on i.id = held.id
     where d.id = held.destination_id and d.purge_initiated_at is not null and i.done and i.error is not null and not held.newer
  ),`;

/** An object that is written again is no longer a tombstone; the last recheck deletes the remaining tombstones. */
const aboutTombstones = sql`
  tombstoned as (
    update sync_objects o set removed_at = now(), fingerprint = null
      from held
     where o.association_id = held.id and not held.over and held.tombstoned ? o.name_key
  ),
  forgotten as (
    delete from sync_objects o using held
     where o.association_id = held.id and not held.over and held.sure and not held.newer and o.removed_at is not null
       and not exists (select 1 from jsonb_to_recordset(held.written) as w(name_key text) where w.name_key = o.name_key)
  ),`;

/** A change that arrived meanwhile keeps what was remembered; the outcome of its attempt decides on the rechecks. */
const rememberedCalls = sql`
           unconfirmed_at = case
             when (i.remembered ->> 'fresh')::boolean then now()
             when held.sure and not held.newer then null
             else a.unconfirmed_at end,
           recheck_at = case
             when i.remembered is null or held.newer and not (i.remembered ->> 'fresh')::boolean then a.recheck_at
             when held.newer or held.sure or i.remembered ->> 'afterMs' is null then null
             else greatest(now(), case when (i.remembered ->> 'fresh')::boolean then now() else a.unconfirmed_at end
                    + (i.remembered ->> 'afterMs')::float8 * interval '1 millisecond') end,
           rechecks = case
             when i.remembered is null or held.newer and not (i.remembered ->> 'fresh')::boolean then a.rechecks
             when held.newer then 0
             else (i.remembered ->> 'rechecks')::int end,`;
