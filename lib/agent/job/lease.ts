import type { Job } from '../api/job.ts';
import { Refused } from '../api/send.ts';

/** Interval at which the lease is extended and a cancel is noticed, in milliseconds. */
const extendMs = 3_000;

/** Extends the lease of a job until it is closed. `signal` aborts with `canceled`, or with `lost` when the lease has ended. */
export class Lease {
  readonly #job: Job;
  readonly #leaseMs: number;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #heldUntil: number;
  readonly #extended: () => Promise<void>;
  #isClosed = false;

  /** @param extended is called after each extension */
  constructor(job: Job, leaseMs: number, extended: () => Promise<void>) {
    this.#job = job;
    this.#leaseMs = leaseMs;
    this.#extended = extended;
    this.#heldUntil = performance.now() + leaseMs;
    this.#again();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isLost(): boolean {
    return this.signal.aborted && this.signal.reason === 'lost';
  }

  /** Interrupts the engine, as for a cancel. */
  cancel(): void {
    this.#controller.abort('canceled');
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #again(): void {
    this.#timer = setTimeout(() => void this.#extend(), extendMs);
  }

  async #extend(): Promise<void> {
    const begun = performance.now();
    try {
      if (await this.#job.extend()) this.cancel();
      this.#heldUntil = begun + this.#leaseMs;
      await this.#extended();
    } catch (error) {
      const isOver = error instanceof Refused && error.isOver;
      if (isOver || performance.now() > this.#heldUntil) this.#controller.abort('lost');
    }
    if (!this.#isClosed && !this.isLost) this.#again();
  }
}
