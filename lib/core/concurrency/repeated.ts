export interface Rounds {
  /** From the end of a round to the next, in milliseconds. */
  readonly everyMs: number;
  /** The part of the time that rounds may take, above 0: after a long one the next comes later. Absent: any. */
  readonly shareMax?: number;
  /** Whether there is to be another round. */
  readonly goesOn: () => boolean;
  /** A round that fails is made up for by the next. */
  readonly round: () => Promise<void>;
}

/** Work that is repeated in rounds while there is a reason for it. At most one round runs at a time. */
export class Repeated {
  readonly #rounds: Rounds;
  /** Set from the beginning of the rounds to their end. */
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires, by `performance.now()`. */
  #dueMs = 0;
  /** From the end of the round that is under way to the next; undefined between rounds. */
  #pauseMs: number | undefined;
  #closed = false;

  constructor(rounds: Rounds) {
    this.#rounds = rounds;
  }

  /** The first round comes after the interval. Does nothing while rounds go on. */
  begin(): void {
    this.#beginIn(this.#rounds.everyMs);
  }

  /** While rounds go on, the next comes within `ms`, or so long after the one under way. However often this is called, rounds are no closer. */
  hasten(ms: number): void {
    if (this.#closed || this.#timer === undefined) return;
    if (this.#pauseMs !== undefined) this.#pauseMs = Math.min(this.#pauseMs, ms);
    else if (performance.now() + ms < this.#dueMs) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#beginIn(ms);
    }
  }

  /** No further round begins. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #beginIn(ms: number): void {
    if (this.#closed || this.#timer !== undefined) return;
    this.#dueMs = performance.now() + ms;
    this.#timer = setTimeout(() => this.#run(), ms);
  }

  async #run(): Promise<void> {
    const { everyMs, shareMax = 1, goesOn, round } = this.#rounds;
    const beganMs = performance.now();
    this.#pauseMs = everyMs;
    await round().catch(() => {});
    const pauseMs = Math.max(this.#pauseMs, (performance.now() - beganMs) * (1 / shareMax - 1));
    this.#pauseMs = undefined;
    this.#timer = undefined;
    if (goesOn()) this.#beginIn(pauseMs);
  }
}
