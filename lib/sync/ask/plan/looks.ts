import { setTimeout as sleep } from 'node:timers/promises';
import type { DestinationDefinition, Driver, Inspection } from '#destinations/contract.ts';
import type { Seen } from './judge.ts';

/** From this many objects on, one list is cheaper than a look at each. */
const surveyMin = 4;
/** A plan leaves this share of the rate to pushes. */
const share = 0.5;

/** The looks of one plan: paced, counted, and over at a time. */
export class Looks {
  /** Calls that the system counts. */
  calls = 0;
  readonly #definition: Pick<DestinationDefinition, 'rate' | 'costs'>;
  readonly #driver: Driver;
  readonly #signal: AbortSignal;
  readonly #endsMs: number;
  readonly #begunMs = performance.now();

  /** @param looksMs no look begins later than this many milliseconds from now */
  constructor(
    definition: Pick<DestinationDefinition, 'rate' | 'costs'>,
    driver: Driver,
    signal: AbortSignal,
    looksMs: number,
  ) {
    this.#definition = definition;
    this.#driver = driver;
    this.#signal = signal;
    this.#endsMs = this.#begunMs + looksMs;
  }

  get isOver(): boolean {
    return performance.now() >= this.#endsMs;
  }

  /** What is at the destination under each name. @throws DestinationFailure when a look fails */
  async at(names: readonly string[]): Promise<ReadonlyMap<string, Seen>> {
    const seen = new Map<string, Seen>(await this.#surveyed(names));
    for (const name of names) if (!seen.has(name)) seen.set(name, await this.#one(name));
    return seen;
  }

  async #surveyed(names: readonly string[]): Promise<ReadonlyMap<string, Inspection>> {
    if (this.#driver.survey === undefined || names.length < surveyMin || this.isOver) return new Map();
    // A failed list counts as empty: the single looks then report the failure.
    const listed = await this.#driver.survey(names, this.#signal).catch(() => undefined);
    this.calls += listed?.calls ?? 1;
    return listed?.found ?? new Map();
  }

  async #one(name: string): Promise<Seen> {
    const { rate, costs } = this.#definition;
    const dueMs = this.#begunMs + (this.calls * 1_000) / (rate.callsPerSecond * share);
    if (Math.max(dueMs, performance.now()) >= this.#endsMs) return 'unlooked';
    await sleep(Math.max(0, dueMs - performance.now()), undefined, { signal: this.#signal });
    this.calls += costs?.look ?? 1;
    return this.#driver.inspect(name, this.#signal);
  }
}
