import { type RawBuilder, sql } from 'kysely';
import { pick, type RowOf } from './sql/columns.ts';
import { bigintText, bool } from './sql/kinds.ts';
import { rowsOf } from './sql/rows.ts';
import { associationsTable } from './tables/sync.ts';

/** What the queue needs to know about an association that became dirty. */
export type Dirty = RowOf<typeof dirtyColumns>;

/** The columns of `Dirty` rows. */
export const dirtyColumns = {
  ...pick(associationsTable, 'type', 'destination_id', 'generation'),
  id: bigintText,
  /** The association was waiting for a retry, so its job has to be brought forward. */
  waiting: bool,
};

/**
 * Assignments of an `update` that request a new sync of an association and reset its attempts. If a retry was scheduled, it
 * becomes due now. Only a worker that claims the association sets `next_attempt_at` to null; until then every change reports
 * the job as waiting, because an earlier report may not have reached the queue.
 */
export const resetAttempts = sql`generation = generation + 1, attempts = 0, status = 'PENDING', updated_at = now(),
         dirty_since = coalesce(dirty_since, now()),
         next_attempt_at = case when next_attempt_at is not null then now() end`;

/**
 * SQL that marks every association of a secret dirty and returns them as `Dirty` rows. An engine puts it into the statement or
 * transaction of its change, so that change and mark commit together. `where` is a condition on `associations`. Rows are
 * locked in the order of their ids, as in every statement that locks several associations.
 *
 * `verify`: read the remote objects again even if they were read a moment ago, because something other than the secret has
 * changed. Conditions instead of `verify`: associations that match `forced` are pushed without reading the remote object first;
 * those that match `forgotten` are rechecked as after calls with an unknown outcome, because the store may have lost the record
 * of what was pushed.
 */
export const markDirty = (where: RawBuilder<unknown>, how?: 'verify' | MarkForced) => rowsOf(dirtyColumns)`
  update associations
          set ${resetAttempts}${how === undefined ? sql`` : sql`, verify_generation = generation + 1`}
         ${typeof how === 'object' ? forcedWhere(how) : sql``}
   where id = any(array(select id from associations where ${where} order by id for no key update))
  returning id::text as id, type, destination_id::text as destination_id, generation::int as generation,
            next_attempt_at is not null as waiting`;

/** SQL that ends associations, so that their copies are removed, and returns them as `Dirty` rows. */
export const markEnded = (where: RawBuilder<unknown>) => rowsOf(dirtyColumns)`
  update associations set desired = 'absent', ${resetAttempts}
   where id = any(array(select id from associations where ${where} order by id for no key update))
  returning id::text as id, type, destination_id::text as destination_id, generation::int as generation,
            next_attempt_at is not null as waiting`;

interface MarkForced {
  readonly forced: RawBuilder<unknown>;
  readonly forgotten: RawBuilder<unknown>;
}

const forcedWhere = ({ forced, forgotten }: MarkForced) =>
  sql`, forced_generation = case when ${forced} then generation + 1 else forced_generation end,
         recheck_generation = case when ${forgotten} then generation + 1 else recheck_generation end,
         recheck_at = case when ${forgotten} then now() else recheck_at end,
         unconfirmed_at = case when ${forgotten} then now() else unconfirmed_at end,
         rechecks = case when ${forgotten} then 0 else rechecks end`;

/** A condition for `markDirty`: the associations that keep a copy of this secret. */
export const ofSecret = (mountId: string, secretName: string): RawBuilder<unknown> =>
  sql`mount_id = ${mountId}::uuid and secret_name = ${secretName} and desired = 'present'`;

/**
 * Queues the associations that a change made dirty; called after the commit. Those that exceed the capacity stay dirty, and
 * the sweep queues them later. Returns warnings for the reply. Never fails.
 */
export type EnqueueDirty = (dirty: readonly Dirty[]) => Promise<readonly string[]>;
