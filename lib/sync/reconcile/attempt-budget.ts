import { type Clock, startStopwatch } from '#core/clock.ts';
import type { DestinationFailure } from '#destinations/contract.ts';

export interface BudgetLimits {
  /** No call begins later than this many milliseconds after the start. */
  readonly operationMs: number;
  /** Calls still in flight after this many milliseconds are aborted. */
  readonly callsMs: number;
  /** Maximum number of concurrent calls. */
  readonly widthMax: number;
  /** Aborts when this worker has to stop, because it shuts down or has lost its lock. */
  readonly signal: AbortSignal;
  /** The wall clock. */
  readonly clock: Clock;
}

const elapsedMsMax = 2 ** 31 - 1;

/** Shared by all budgets: creating an error captures a stack, which costs more than the rest of a budget. */
const timeOver = new Error('the attempt has to end');

/**
 * The budget of one attempt: how long it may run, how many calls it has made, and what halted it. It starts before the claim, so
 * that it expires before the claim does. Call `end` when the attempt is over.
 *
 * Its time keeps running while the process or the machine is frozen, and is checked before each request: after a thaw no
 * request begins under a claim that another worker may hold by now.
 */
export class AttemptBudget {
  readonly widthMax: number;
  /** Calls counted against the rate of the destination so far. */
  calls = 0;
  /** True once a put or removal has an unknown outcome. */
  unconfirmed = false;
  /** Objects that a recheck found changed. */
  mended = 0;
  /** The first failure of the destination as a whole: the remaining objects share it without a call. */
  halted: DestinationFailure | undefined;
  /** Aborts calls in flight once their time is over, even if the timer has not run. */
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

  /** Whole milliseconds since the start, at most the greatest integer of PostgreSQL: a clock may leap by years. */
  get elapsedMs(): number {
    return Math.min(Math.round(this.#elapsedMs()), elapsedMsMax);
  }

  /** The worker has to stop. */
  get stopped(): boolean {
    return this.#worker.aborted;
  }

  /** Counts calls before they go out. */
  spend(calls: number): void {
    this.calls += calls;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#worker.removeEventListener('abort', this.#abort);
  }
}

/**
 * The signal of `controller`, which also aborts when its state is read while `isOver` holds. A timer is not enough: a process
 * that was frozen handles the answers that arrived meanwhile before its timers, and would continue with the next request.
 *
 * It checks when `aborted` or `throwIfAborted` is used, which clients do before each request, and when a signal is derived from
 * it. The checks live in a shared prototype: defining them on each signal costs more than all other objects of an attempt.
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
