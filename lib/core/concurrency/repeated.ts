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
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(rounds: Rounds) {
    this.#rounds = rounds;
  }

  /** The first round comes after the interval. Does nothing while rounds go on. */
  begin(): void {
    this.#beginIn(this.#rounds.everyMs);
  }

  /** No further round begins. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #beginIn(ms: number): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => this.#run(), ms);
  }

  async #run(): Promise<void> {
    const { everyMs, shareMax = 1, goesOn, round } = this.#rounds;
    const beganMs = performance.now();
    await round().catch(() => {});
    const pauseMs = (performance.now() - beganMs) * (1 / shareMax - 1);
    this.#timer = undefined;
    if (goesOn()) this.#beginIn(Math.max(everyMs, pauseMs));
  }
}
