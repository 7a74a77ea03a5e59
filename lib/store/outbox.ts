import { type RawBuilder, sql } from 'kysely';

/** An association that became dirty: what the queue needs to know of it. */
export interface Dirty {
  readonly id: string;
  readonly type: string;
  readonly destination_id: string;
  readonly generation: number;
  /** It was waiting for a retry, so its job has to be brought forward. */
  readonly waiting: boolean;
}

/**
 * What becomes of an association that is asked for anew, as assignments of an `update`. The time of its next attempt
 * becomes the present, and null only when a worker takes it: until then every change says that its job waits, since the
 * word of an earlier one may not have come to the queue.
 */
export const startAfresh = sql`generation = generation + 1, attempts = 0, status = 'PENDING', updated_at = now(),
         dirty_since = coalesce(dirty_since, now()),
         next_attempt_at = case when next_attempt_at is not null then now() end`;

/**
 * SQL that marks every association of a secret dirty and returns them as `Dirty` rows. An engine puts it into the same
 * statement or transaction as its change: change and mark commit together (docs/architecture.md, rule 3.2). `where` is a condition
 * on `associations`. They are locked in the order of their ids, as everybody does who locks several. `verify`: objects that
 * look unchanged are to be looked at even if they were a moment ago, because something else than the secret has changed. A
 * condition instead: those for which `forced` holds are pushed without a look, and those for which `forgotten` holds are looked at as
 * after calls whose end nobody saw (rule 3.12): the store may have forgotten what was pushed.
 */
export const markDirty = (where: RawBuilder<unknown>, how?: 'verify' | MarkForced): RawBuilder<Dirty> => sql<Dirty>`
  update associations
     set ${startAfresh}${how === undefined ? sql`` : sql`, verify_generation = generation + 1`}
         ${typeof how === 'object' ? forcedWhere(how) : sql``}
   where id = any(array(select id from associations where ${where} order by id for no key update))
  returning id::text as id, type, destination_id::text as destination_id, generation::int as generation,
            next_attempt_at is not null as waiting`;

interface MarkForced {
  readonly forced: RawBuilder<boolean>;
  readonly forgotten: RawBuilder<boolean>;
}

const forcedWhere = ({ forced, forgotten }: MarkForced) =>
  sql`, forced_generation = case when ${forced} then generation + 1 else forced_generation end,
         recheck_generation = case when ${forgotten} then generation + 1 else recheck_generation end,
         recheck_at = case when ${forgotten} then now() else recheck_at end,
         unconfirmed_at = case when ${forgotten} then now() else unconfirmed_at end,
         rechecks = case when ${forgotten} then 0 else rechecks end`;

/** The condition for `markDirty`: the associations that keep a copy of this secret. */
export const ofSecret = (mountId: string, secretName: string): RawBuilder<unknown> =>
  sql`mount_id = ${mountId}::uuid and secret_name = ${secretName} and desired = 'present'`;

/**
 * Called after the commit with the associations that a change made dirty. It queues them; what exceeds the capacity stays
 * dirty and is queued later by the sweep. Answers warnings for the reply. It never fails.
 */
export type Changed = (dirty: readonly Dirty[]) => Promise<readonly string[]>;
