export interface Rounds {
  /** From the end of a round to the next, in milliseconds. */
  readonly everyMs: number;
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
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => this.#run(), this.#rounds.everyMs);
  }

  /** No further round begins. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    await this.#rounds.round().catch(() => {});
    this.#timer = undefined;
    if (this.#rounds.goesOn()) this.begin();
  }
}
