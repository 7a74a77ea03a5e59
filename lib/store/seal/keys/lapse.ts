/** How often the time is added up, in milliseconds. */
const tickMsMax = 1_000;
const ticksMin = 4;

/**
 * Ends what was lent when the record of the seal could not be read for too long: whoever seals the installation must not depend on a
 * process that is cut off from its database. Counts the time in which this process ran, so one that was frozen reads the record before it
 * loses anything.
 */
export class Lapse {
  readonly #keepMs: number;
  readonly #end: () => void;
  #timer: NodeJS.Timeout | undefined;
  #unreadMs = 0;

  constructor(keepMs: number, end: () => void) {
    this.#keepMs = keepMs;
    this.#end = end;
  }

  /** Something is lent from now on. */
  start(): void {
    this.stop();
    const tickMs = Math.min(tickMsMax, this.#keepMs / ticksMin);
    this.#timer = setInterval(() => this.#add(tickMs), tickMs).unref();
  }

  /** The record was read. */
  read(): void {
    this.#unreadMs = 0;
  }

  /** Nothing is lent any more. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#unreadMs = 0;
  }

  #add(tickMs: number): void {
    this.#unreadMs += tickMs;
    if (this.#unreadMs < this.#keepMs) return;
    this.stop();
    this.#end();
  }
}
