import type { DestinationDefinition, Driver, Inspection } from '#destinations/contract.ts';
import type { Seen } from '../../reconcile/plan/judge.ts';
import { Pace, type Tally } from '../pace.ts';

/** From this many objects on, one list is cheaper than a look at each. */
const surveyMin = 4;
/** A plan leaves this share of the rate to pushes. */
const share = 0.5;

type Rules = Pick<DestinationDefinition, 'rate' | 'costs'>;

/** The looks of one plan: paced, counted, and over at a time. */
export class Looks {
  readonly #definition: Rules;
  readonly #driver: Driver;
  readonly #signal: AbortSignal;
  readonly #pace: Pace;

  /** @param looksMs no look begins later than this many milliseconds from now */
  constructor(definition: Rules, driver: Driver, signal: AbortSignal, looksMs: number, tally: Tally) {
    this.#definition = definition;
    this.#driver = driver;
    this.#signal = signal;
    this.#pace = new Pace(definition.rate, share, looksMs, tally);
  }

  get isOver(): boolean {
    return this.#pace.isOver;
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
    this.#pace.tally.calls += listed?.calls ?? 1;
    return listed?.found ?? new Map();
  }

  async #one(name: string): Promise<Seen> {
    if (!(await this.#pace.turn(this.#signal))) return 'unlooked';
    this.#pace.tally.calls += this.#definition.costs?.look ?? 1;
    return this.#driver.inspect(name, this.#signal);
  }
}
