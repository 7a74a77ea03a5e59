/** A moment on two clocks, in milliseconds: `running` stops while a function is frozen, and `wall` may be adjusted. */
export interface Moment {
  readonly running: number;
  readonly wall: number;
}

/** The time between two moments: the longer of the two differences, since each clock can only show too little. */
export const msBetween = (earlier: Moment, later: Moment): number =>
  Math.max(later.running - earlier.running, later.wall - earlier.wall, 0);

/** How many bytes of its log the primary had written when it was queried. */
interface Mark {
  readonly at: Moment;
  readonly position: bigint;
}

/** Enough marks for any lag bound with which a replica is useful. */
const marksMax = 1_000;

/**
 * Compares the position of a replica with earlier positions of the primary. Everything committed before the primary was queried
 * lies before the position that it returned, so a replica that has reached this position has all of it, whatever the state of the
 * replica's clock and of its connection to the primary.
 */
export class Freshness {
  #marks: Mark[] = [];

  /** @param at a moment before the primary was queried */
  primaryAt(at: Moment, position: bigint): void {
    this.#marks.push({ at, position });
    if (this.#marks.length > marksMax) this.#marks.shift();
  }

  /** The moment up to which a replica at this position has everything; undefined when it is behind all known marks. */
  replicaAt(position: bigint): Moment | undefined {
    const reached = this.#marks.findLastIndex((mark) => mark.position <= position);
    // Marks before the newest one that was reached are no longer needed.
    this.#marks = this.#marks.slice(Math.max(reached, 0));
    return reached === -1 ? undefined : this.#marks[0]?.at;
  }

  /** Called after a promotion: positions of the previous primary are not comparable. */
  forget(): void {
    this.#marks = [];
  }
}
