/** Slots are at least this far apart, in milliseconds. */
const slotMsMin = 500;
const slotsMax = 50;

type Turn = () => void;

/** Calls each of many at an interval, by one timer, which runs while there are any. Their turns are spread over the interval. */
export class Turns {
  readonly #slots: readonly Set<Turn>[];
  readonly #slotMs: number;
  #timer: NodeJS.Timeout | undefined;
  /** The slot that was called last. */
  #at = 0;
  #entered = 0;
  #size = 0;

  constructor(everyMs: number) {
    const count = Math.min(slotsMax, Math.max(1, Math.floor(everyMs / slotMsMin)));
    this.#slots = Array.from({ length: count }, () => new Set());
    this.#slotMs = everyMs / count;
  }

  /** The first turn comes after half the interval at the earliest, and within the whole. Returns the way to leave. */
  enter(turn: Turn): () => void {
    const slot = this.#later();
    slot.add(turn);
    this.#size += 1;
    this.#timer ??= setInterval(() => this.#call(), this.#slotMs);
    return () => {
      if (!slot.delete(turn)) return;
      this.#size -= 1;
      if (this.#size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Those that enter together get different slots. */
  #later(): Set<Turn> {
    const { length } = this.#slots;
    const half = Math.floor(length / 2);
    this.#entered += 1;
    return this.#slot(this.#at + half + (this.#entered % (length - half)));
  }

  #call(): void {
    this.#at = (this.#at + 1) % this.#slots.length;
    const slot = this.#slot(this.#at);
    for (const turn of [...slot]) if (slot.has(turn)) turn();
  }

  #slot(at: number): Set<Turn> {
    return this.#slots[at % this.#slots.length] ?? new Set();
  }
}
