import type { DestinationFailure, FailureKind } from '#destinations/contract.ts';
import type { Operation } from '#queue/contract.ts';
import { dirtyColumns } from '#store/outbox.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { RecheckTimes, Remembered, Unconfirmed } from '../model/unconfirmed.ts';

/**
 * Whether an attempt inspects the destination like a recheck. An attempt that begins so late that no unconfirmed call can still
 * be applied serves as the last recheck, whatever started it.
 */
export const actsAsRecheck = (unconfirmed: Unconfirmed | undefined, { secondMs }: RecheckTimes): boolean =>
  unconfirmed !== undefined && (unconfirmed.due || unconfirmed.ageMs >= secondMs);

/** How an attempt ended. */
export interface Ended {
  /** It made an unconfirmed call. */
  readonly unconfirmed: boolean;
  /** True when its generation is finished, false when another attempt follows. */
  readonly done: boolean;
  readonly failed: boolean;
  /** At least one object is in line. */
  readonly arrived: boolean;
  /** An earlier attempt for the same generation brought some objects in line, for which no call was made again. */
  readonly continued: boolean;
}

const rechecksMax = 2;

/** What to remember after an attempt. Undefined when that does not change, as in nearly all cases. */
export function rememberedAfter(
  before: Unconfirmed | undefined,
  { unconfirmed, done, failed, arrived, continued }: Ended,
  times: RecheckTimes,
): Remembered | undefined {
  if (before === undefined && !unconfirmed) return undefined;
  if (!done) return unconfirmed ? { over: false, fresh: true, rechecks: 0, afterMs: null } : undefined;
  const rechecks = (before?.rechecks ?? 0) + (before?.due === true ? 1 : 0);
  if (failed) {
    const continues = arrived && rechecks < rechecksMax && !isUnsettled(before, unconfirmed);
    return { over: false, fresh: unconfirmed, ...(continues ? next(rechecks, times) : none) };
  }
  // A push this long after the unconfirmed calls was applied after them.
  const isLast = !continued && before !== undefined && before.ageMs >= times.secondMs;
  if (isLast || rechecks >= rechecksMax) return { over: true, fresh: false, ...none };
  return { over: false, fresh: unconfirmed, ...next(rechecks, times) };
}

/**
 * A recheck with another unconfirmed call. If the rest of it fails too, no further recheck follows; otherwise an object that
 * always fails would be rechecked forever.
 */
const isUnsettled = (before: Unconfirmed | undefined, unconfirmed: boolean): boolean =>
  before?.rechecking === true && (unconfirmed || !before.due);

const none = { rechecks: 0, afterMs: null };

const next = (rechecks: number, { firstMs, secondMs }: RecheckTimes) => ({
  rechecks,
  afterMs: rechecks === 0 ? firstMs : secondMs,
});

/**
 * Makes associations dirty whose recheck is due, without changing their status. Those that are already dirty come in line first.
 * May run twice and concurrently with another sweep: it skips locked associations.
 */
export async function markDueRechecks(store: Store, limit: number): Promise<readonly Operation[]> {
  const { rows } = await rowsOf(dirtyColumns)`
    with due as (
      select id from associations
       where recheck_at is not null and generation = observed_generation and recheck_at <= now()
       order by recheck_at limit ${limit}::int for no key update skip locked
    )
    update associations a
       set generation = a.generation + 1, recheck_generation = a.generation + 1
      from due where a.id = due.id
    returning a.id::text as id, a.type, a.destination_id::text as destination_id, a.generation::int as generation,
              false as waiting`.execute(store.db);
  return rows;
}

/**
 * After these failures the outcome of the call is unknown. `unavailable` is one of them: a gateway that gives up reports it while
 * the server behind it may carry on.
 */
const uncertain: ReadonlySet<FailureKind> = new Set<FailureKind>(['timeout', 'network', 'unavailable', 'internal']);

/** Whether a put or a removal that failed in this way may still be applied. */
export const isUnconfirmed = ({ kind, untouched }: DestinationFailure): boolean => uncertain.has(kind) && !untouched;
