/** A moment on two clocks: one of them stands still while a function is frozen, and the other may be set. Milliseconds. */
export interface Moment {
  readonly running: number;
  readonly wall: number;
}

/** The longer one is right: no time has passed on neither. */
export const msBetween = (earlier: Moment, later: Moment): number =>
  Math.max(later.running - earlier.running, later.wall - earlier.wall, 0);

/** How far the primary had written its log, as a number of bytes, when it was asked. */
interface Mark {
  readonly at: Moment;
  readonly position: bigint;
}

/** More than are younger than any bound that is worth a replica. */
const marksMax = 1_000;

/**
 * Compares how far a replica has come with where the primary was and when. What was committed before the primary was asked lies before
 * the answered position: a replica that has come so far holds it, whatever its own clock and its connection to the primary are like.
 */
export class Freshness {
  #marks: Mark[] = [];

  /** @param at a moment before the primary was asked */
  primaryAt(at: Moment, position: bigint): void {
    this.#marks.push({ at, position });
    if (this.#marks.length > marksMax) this.#marks.shift();
  }

  /** The moment up to which a replica has everything; undefined: it is older than all that is known. */
  replicaAt(position: bigint): Moment | undefined {
    const reached = this.#marks.findLastIndex((mark) => mark.position <= position);
    // What is older than the newest mark that was reached is not asked for again.
    this.#marks = this.#marks.slice(Math.max(reached, 0));
    return reached === -1 ? undefined : this.#marks[0]?.at;
  }

  /** Positions of another primary say nothing. */
  forget(): void {
    this.#marks = [];
  }
}
