import { setTimeout as sleep } from 'node:timers/promises';
import type { Rate } from '#destinations/contract.ts';

/** Calls that the system counts, so far. */
export interface Tally {
  calls: number;
}

/** Spreads calls over time, so that they take only a share of a rate, and ends them at a time. */
export class Pace {
  readonly tally: Tally;
  readonly #perSecond: number;
  readonly #begunMs = performance.now();
  readonly #endsMs: number;

  /** @param withinMs no call begins later than this many milliseconds from now */
  constructor({ callsPerSecond }: Pick<Rate, 'callsPerSecond'>, share: number, withinMs: number, tally: Tally) {
    this.tally = tally;
    this.#perSecond = callsPerSecond * share;
    this.#endsMs = this.#begunMs + withinMs;
  }

  get isOver(): boolean {
    return performance.now() >= this.#endsMs;
  }

  /** Waits until the next call is due. False when that is after the end. */
  async turn(signal: AbortSignal): Promise<boolean> {
    const dueMs = this.#begunMs + (this.tally.calls * 1_000) / this.#perSecond;
    if (Math.max(dueMs, performance.now()) >= this.#endsMs) return false;
    await sleep(Math.max(0, dueMs - performance.now()), undefined, { signal });
    return true;
  }
}
