/**
 * A call that we ended, or whose end we did not see, may still be applied, also after its successor (docs/architecture.md, rule 3.12). Such
 * a call is *unconfirmed*. An association that has made one remembers it until its destination has been looked at again:
 *
 * unconfirmed → in line with the store → first recheck → second recheck → nothing is remembered
 *
 * A further unconfirmed call begins anew at any point. While the association fails there is no recheck: it has to come in line
 * first, and then its rechecks follow.
 */

/** What an association remembers of its unconfirmed calls, as its claim finds it. */
export interface Unconfirmed {
  /** Milliseconds since the last of them can have been in flight. */
  readonly ageMs: number;
  /** Rechecks that were done since. */
  readonly rechecks: number;
  /** This attempt is a recheck. */
  readonly due: boolean;
  /** The generation was made by a recheck, of which this is an attempt, though perhaps not one that is still due. */
  readonly rechecking: boolean;
}

/** What becomes of it when an attempt is written back. */
export interface Remembered {
  /** Nothing has to be remembered any more. */
  readonly over: boolean;
  /** This attempt has made an unconfirmed call. */
  readonly fresh: boolean;
  readonly rechecks: number;
  /** The next recheck, in milliseconds after the last unconfirmed call; null: none before the association has come in line. */
  readonly afterMs: number | null;
}

/** When the rechecks are due, in milliseconds after the last unconfirmed call. */
export interface RecheckTimes {
  readonly firstMs: number;
  readonly secondMs: number;
}

/**
 * Whether an attempt looks at the destination as a recheck does. One that begins so late that no unconfirmed call can come
 * any more is the last look, whatever it was begun for.
 */
export const looksAgain = (unconfirmed: Unconfirmed | undefined, { secondMs }: RecheckTimes): boolean =>
  unconfirmed !== undefined && (unconfirmed.due || unconfirmed.ageMs >= secondMs);

/** How an attempt has ended. */
export interface Ended {
  /** It has made an unconfirmed call. */
  readonly unconfirmed: boolean;
  /** It is over for its generation; false: it will be tried again. */
  readonly done: boolean;
  readonly failed: boolean;
  /** At least one object is in line. */
  readonly arrived: boolean;
  /** An earlier attempt for the same generation has brought some objects in line, which were not called again. */
  readonly continued: boolean;
}

const rechecksMax = 2;

/** Undefined: what is remembered stays as it is, which is mostly nothing. */
export function rememberedAfter(
  before: Unconfirmed | undefined,
  { unconfirmed, done, failed, arrived, continued }: Ended,
  times: RecheckTimes,
): Remembered | undefined {
  if (before === undefined && !unconfirmed) return undefined;
  if (!done) return unconfirmed ? { over: false, fresh: true, rechecks: 0, afterMs: null } : undefined;
  const rechecks = (before?.rechecks ?? 0) + (before?.due === true ? 1 : 0);
  if (failed) {
    const goesOn = arrived && rechecks < rechecksMax && !isUnsettled(before, unconfirmed);
    return { over: false, fresh: unconfirmed, ...(goesOn ? next(rechecks, times) : none) };
  }
  // What was pushed so long after the unconfirmed calls came behind them.
  const cameBehind = !continued && before !== undefined && before.ageMs >= times.secondMs;
  if (cameBehind || rechecks >= rechecksMax) return { over: true, fresh: false, ...none };
  return { over: false, fresh: unconfirmed, ...next(rechecks, times) };
}

/**
 * A recheck in which a call was unconfirmed again. If the rest of it fails as well there is no further one: of what always
 * fails, every recheck would ask for the next.
 */
const isUnsettled = (before: Unconfirmed | undefined, unconfirmed: boolean): boolean =>
  before?.rechecking === true && (unconfirmed || !before.due);

const none = { rechecks: 0, afterMs: null };

const next = (rechecks: number, { firstMs, secondMs }: RecheckTimes) => ({
  rechecks,
  afterMs: rechecks === 0 ? firstMs : secondMs,
});
