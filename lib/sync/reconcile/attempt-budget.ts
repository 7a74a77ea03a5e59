import { type Clock, startStopwatch } from '../../core/clock.ts';
import type { DestinationFailure } from '../../destinations/contract.ts';

export interface BudgetLimits {
  /** After so many milliseconds no further call is begun. */
  readonly operationMs: number;
  /** After so many, calls in flight are ended. */
  readonly callsMs: number;
  /** Calls at once. */
  readonly widthMax: number;
  /** Aborts when this worker has to stop: it shuts down, or has lost its lock. */
  readonly signal: AbortSignal;
  /** The wall clock. */
  readonly clock: Clock;
}

/** One for all: an error takes its stack with it, which costs more than the rest of a budget. */
const timeOver = new Error('the attempt has to end');

/**
 * The budget of one attempt, from before its claim, so that its time is over before the claim's is: how long it may go on,
 * how often it has called, and what has halted it. It has to be ended.
 *
 * Its time goes on while the process or the machine is frozen, and is looked at before each request: after a thaw none
 * begins under a claim that somebody else may hold by now.
 */
export class AttemptBudget {
  readonly widthMax: number;
  /** What was used up of the destination's rate so far, in calls. */
  calls = 0;
  /** A put or removal was begun whose end nobody saw. */
  unconfirmed = false;
  /** Objects that a recheck did not find as they had been left. */
  mended = 0;
  /** A failure of the destination as a whole, once there was one: what is left shares it, without a call. */
  halted: DestinationFailure | undefined;
  /** Ends calls in flight, and is aborted once their time is over, whether a timer has run or not. */
  readonly signal: AbortSignal;
  readonly #worker: AbortSignal;
  readonly #operationMs: number;
  readonly #elapsedMs: () => number;
  readonly #timer: NodeJS.Timeout;
  readonly #abort: () => void;

  constructor({ operationMs, callsMs, widthMax, signal, clock }: BudgetLimits) {
    this.widthMax = widthMax;
    this.#worker = signal;
    this.#operationMs = operationMs;
    const elapsedMs = startStopwatch(clock);
    this.#elapsedMs = elapsedMs;
    const ending = new AbortController();
    this.signal = timedSignal(ending, () => elapsedMs() >= callsMs, timeOver);
    this.#abort = () => ending.abort(timeOver);
    this.#timer = setTimeout(this.#abort, callsMs);
    if (signal.aborted) this.#abort();
    else signal.addEventListener('abort', this.#abort, { once: true });
  }

  /** No further call may begin. */
  get over(): boolean {
    return this.#elapsedMs() >= this.#operationMs;
  }

  /** The worker has to stop. */
  get stopped(): boolean {
    return this.#worker.aborted;
  }

  /** Notes a verb, before it goes out. */
  spend(calls: number): void {
    this.calls += calls;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#worker.removeEventListener('abort', this.#abort);
  }
}

/**
 * The signal of `controller`, which also aborts when it is asked for its state once `isOver` holds. A timer is not enough:
 * a process that was frozen handles the answers that came meanwhile before its timers, and would go on with the next request.
 *
 * It looks when `aborted` or `throwIfAborted` is read, which clients do before each request, or when a signal is derived from
 * it. The looking stands in a prototype: to define it on each signal costs more than all else that an attempt has for itself.
 */
export function timedSignal(controller: AbortController, isOver: () => boolean, reason: Error): AbortSignal {
  const { signal } = controller;
  Object.defineProperty(signal, look, {
    value: () => {
      if (isAborted.call(signal)) return true;
      if (!isOver()) return false;
      controller.abort(reason);
      return true;
    },
  });
  return Object.setPrototypeOf(signal, timedPrototype);
}

const look = Symbol('look');

interface TimedSignal extends AbortSignal {
  [look](): boolean;
}

const isAborted: () => boolean = Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'aborted')?.get ?? missing;

const timedPrototype = Object.create(AbortSignal.prototype, {
  aborted: {
    get(this: TimedSignal) {
      return this[look]();
    },
  },
  throwIfAborted: {
    value(this: TimedSignal) {
      if (this[look]()) throw this.reason;
    },
  },
});

function missing(): never {
  throw new Error('this runtime has another AbortSignal');
}
