import { sql } from 'kysely';
import { coalesce } from '../core/coalesce.ts';
import { AppError } from '../core/errors.ts';
import { isRepeatable } from '../store/failure.ts';
import type { Store } from '../store/store.ts';
import type { SyncError, SyncRecord } from '../store/tables.ts';
import { relaxedCommit } from './relaxed.ts';
import type { SyncStatus } from './status.ts';

/** What a worker writes back of one attempt. */
export interface Finish {
  readonly id: string;
  /** The claim's token. */
  readonly token: string;
  /** The generation that the attempt was for. */
  readonly generation: number;
  /** The attempt is over for this generation; false: it will be tried again. */
  readonly done: boolean;
  readonly status: SyncStatus;
  readonly error: SyncError | null;
  readonly records: readonly SyncRecord[];
  /** Failed attempts so far, this one counted; 0 after a success. */
  readonly attempts: number;
  /** Milliseconds until the next attempt; null: none. */
  readonly retryMs: number | null;
  readonly written: readonly WrittenObject[];
  /** Name keys of objects that are no longer there. */
  readonly removed: readonly string[];
}

export interface WrittenObject {
  readonly name_key: string;
  readonly sub_key: string;
  readonly remote_version: string | null;
  /** As PostgreSQL reads bytes: `\\x` and hexadecimal digits. */
  readonly fingerprint: string;
  readonly tag_keys: readonly string[];
}

/**
 * - `settled`: nothing newer has been asked for.
 * - `superseded`: a newer generation came meanwhile, so it goes on at once.
 * - `lost`: the claim had run out and another worker has it, or the association is no more. Nothing was written.
 */
export type Finished = 'settled' | 'superseded' | 'lost';

/**
 * Writes attempts back, in batches. Of an object whose push failed nobody knows the value (the answer may have been lost), so
 * its fingerprint is forgotten: should the old value come back, it is pushed. An association that had to go and has left
 * nothing behind is deleted with its rows; the last one of a destination that is being purged takes the destination along.
 */
export function finishes(store: Store): (finish: Finish) => Promise<Finished> {
  const together = coalesce((inputs: readonly Finish[]) => finishOrSplit(store, inputs), {
    batchSizeMax: 32,
    batchesMax: 2,
  });
  return async (finish) => (await together(finish))();
}

/** One outcome that cannot be stored does not take the others along: a batch that fails is done one by one. */
async function finishOrSplit(store: Store, inputs: readonly Finish[]): Promise<readonly (() => Finished)[]> {
  try {
    return (await finishBatch(store, inputs)).map((finished) => () => finished);
  } catch (cause) {
    if (inputs.length === 1 || isAway(cause)) throw cause;
    const settled = await Promise.allSettled(inputs.map((input) => finishBatch(store, [input])));
    return settled.map((one) => () => {
      if (one.status === 'rejected') throw one.reason;
      return one.value[0] ?? 'lost';
    });
  }
}

const isAway = (cause: unknown): boolean =>
  cause instanceof AppError && cause.kind === 'unavailable' && !isRepeatable(cause);

async function finishBatch(store: Store, inputs: readonly Finish[]): Promise<readonly Finished[]> {
  const { rows } = await finishStatement(inputs).execute(store.db);
  const newer = new Map(rows.map((row) => [row.id, row.newer]));
  const purged = [...new Set(rows.flatMap((row) => (row.purged === null ? [] : [row.purged])))];
  if (purged.length > 0) await dropPurged(purged).execute(store.db);
  return inputs.map(({ id }) => {
    const superseded = newer.get(id);
    if (superseded === undefined) return 'lost';
    return superseded ? 'superseded' : 'settled';
  });
}

interface FinishRow {
  readonly id: string;
  readonly newer: boolean;
  /** Destination under purge that lost an association here. */
  readonly purged: string | null;
}

/** The parts for failures and removals cost as much as the rest, so they stand in a statement that has any only. */
function finishStatement(inputs: readonly Finish[]) {
  const plain = inputs.every(({ error, removed }) => error === null && removed.length === 0);
  return sql<FinishRow>`
  with relaxed as (${relaxedCommit}),
  input as (
    select * from jsonb_to_recordset(${JSON.stringify(inputs)}::jsonb)
      as r(id bigint, token text, generation bigint, done boolean, status text, error jsonb, records jsonb, attempts int,
           "retryMs" float8, written jsonb, removed jsonb)
  ),
  held as (
    select a.id, a.generation > i.generation as newer, a.destination_id, i.done, i.written, i.removed,
           i.error is not null as failed,
           i.done and a.desired = 'absent' and a.generation = i.generation and i.error is null as over
      from associations a join input i on i.id = a.id and i.token = a.claimed_by
     order by a.id for no key update of a
  ),
  kept as (
    update sync_objects o
       set written_at = now(), sub_key = w.sub_key, remote_version = w.remote_version, fingerprint = w.fingerprint,
           tag_keys = w.tag_keys
      from held, jsonb_to_recordset(held.written)
        as w(name_key text, sub_key text, remote_version text, fingerprint bytea, tag_keys text[])
     where o.association_id = held.id and not held.over and o.name_key = w.name_key
  ),
  dropped as (
    delete from associations a using held where a.id = held.id and held.over returning a.destination_id
  ),
  ${plain ? sql`` : afterFailures}
  updated as (
    update associations a
       set observed_generation = case when i.done then greatest(a.observed_generation, i.generation) else a.observed_generation end,
           status = case when held.newer then 'PENDING' else i.status end,
           error = i.error,
           records = i.records,
           attempts = case when held.newer then 0 else i.attempts end,
           next_attempt_at = case when held.newer then null else now() + i."retryMs" * interval '1 millisecond' end,
           dirty_since = case when i.done and not held.newer then null else a.dirty_since end,
           updated_at = now(), claimed_by = null, claimed_until = null
      from held join input i on i.id = held.id
     where a.id = held.id and not held.over
  )
  select held.id::text as id, held.newer,
         (select d.id::text from destinations d
           where held.over and d.id = held.destination_id and d.purge_initiated_at is not null) as purged
    from held cross join relaxed`;
}

const afterFailures = sql`
  gone as (
    delete from sync_objects o using held
     where o.association_id = held.id and not held.over and held.removed ? o.name_key
  ),
  doubted as (
    update sync_objects o set fingerprint = null
      from held
     where o.association_id = held.id and not held.over and held.failed and o.fingerprint is not null
       and not held.removed ? o.name_key
       and not exists (select 1 from jsonb_to_recordset(held.written) as w(name_key text) where w.name_key = o.name_key)
  ),
  blamed as (
    update destinations d set purge_error = i.error ->> 'message'
      from held join input i on i.id = held.id
     where d.id = held.destination_id and d.purge_initiated_at is not null and i.done and i.error is not null and not held.newer
  ),`;

/** Deletes destinations under purge that have no association left. */
export const dropPurged = (ids: readonly string[]) => sql`
  delete from destinations d
   where d.id = any(${ids}::bigint[]) and d.purge_initiated_at is not null
     and not exists (select 1 from associations a where a.destination_id = d.id)`;
