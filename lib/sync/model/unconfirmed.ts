/**
 * A call that we aborted, or whose end we did not see, may still be applied, even after a later call (docs/architecture.md, rule
 * 3.12). Such a call is *unconfirmed*. The association remembers it until its destination has been rechecked:
 *
 * unconfirmed → in line with the store → first recheck → second recheck → forgotten
 *
 * Another unconfirmed call restarts the sequence at any point. A failing association is not rechecked: it has to come in line
 * first.
 */

/** What an association remembers about its unconfirmed calls at the time of the claim. */
export interface Unconfirmed {
  /** Milliseconds since the last of them may have been in flight. */
  readonly ageMs: number;
  /** Rechecks done since then. */
  readonly rechecks: number;
  /** This attempt is a recheck. */
  readonly due: boolean;
  /** The generation was created by a recheck. This attempt belongs to it, though the recheck may no longer be due. */
  readonly rechecking: boolean;
}

/** What an association remembers after an attempt. */
export interface Remembered {
  /** There is nothing left to remember. */
  readonly over: boolean;
  /** This attempt made an unconfirmed call. */
  readonly fresh: boolean;
  readonly rechecks: number;
  /** Time of the next recheck, in milliseconds after the last unconfirmed call; null until the association has come in line. */
  readonly afterMs: number | null;
}

/** When the rechecks are due, in milliseconds after the last unconfirmed call. */
export interface RecheckTimes {
  readonly firstMs: number;
  readonly secondMs: number;
}
