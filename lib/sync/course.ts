import type { DestinationFailure } from '../destinations/contract.ts';

export interface CourseLimits {
  /** After so many milliseconds no further call is begun. */
  readonly operationMs: number;
  /** After so many, calls under way are ended. */
  readonly callsMs: number;
  /** Calls at once. */
  readonly widthMax: number;
  /** Aborts when this worker has to stop: it shuts down, or has lost its lock. */
  readonly signal: AbortSignal;
}

/**
 * The course of one attempt, from before its claim, so that its time is over before the claim's is: how long it may go on,
 * how often it has called, and what has halted it. It has to be ended.
 */
export class Course {
  readonly widthMax: number;
  /** Calls to the destination so far. */
  calls = 0;
  /** A failure of the destination as a whole, once there was one: what is left shares it, without a call. */
  halted: DestinationFailure | undefined;
  readonly #worker: AbortSignal;
  readonly #overAt: number;
  readonly #ending = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #abort = () => this.#ending.abort(new Error('the attempt has to end'));

  constructor({ operationMs, callsMs, widthMax, signal }: CourseLimits) {
    this.widthMax = widthMax;
    this.#worker = signal;
    this.#overAt = performance.now() + operationMs;
    this.#timer = setTimeout(this.#abort, callsMs);
    if (signal.aborted) this.#abort();
    else signal.addEventListener('abort', this.#abort, { once: true });
  }

  /** No further call may begin. */
  get over(): boolean {
    return performance.now() >= this.#overAt;
  }

  /** Ends calls under way. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** The worker has to stop. */
  get stopped(): boolean {
    return this.#worker.aborted;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#worker.removeEventListener('abort', this.#abort);
  }
}
