/** Longest interval between two ticks, in milliseconds. */
const tickMsMax = 1_000;
const ticksMin = 4;

/**
 * Ends a loan when the record of the seal could not be read for too long: sealing the installation must also reach a process that is
 * cut off from its database. Counts only time in which this process ran, so a process that was frozen can read the record first.
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

  /** Called when a loan begins. */
  start(): void {
    this.stop();
    const tickMs = Math.min(tickMsMax, this.#keepMs / ticksMin);
    this.#timer = setInterval(() => this.#add(tickMs), tickMs).unref();
  }

  /** Called when the record has been read. */
  read(): void {
    this.#unreadMs = 0;
  }

  /** Called when the loan has ended. */
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
