import type { EnforcedLimit } from '#destinations/facts.ts';
import type { CallLimit } from '#destinations/fake.ts';

/** What a stand-in admitted and refused, in units of its limit, since its first call and for the measured time. */
export interface Admitted {
  readonly admitted: number;
  /** What it would have admitted if calls had always waited for it. */
  readonly possible: number;
  readonly calls: number;
  readonly throttled: number;
  /** The measured time is over. */
  readonly over: boolean;
}

/** Enforces the limit of a provider, by a clock in milliseconds, and counts for `seconds`. */
export class LimitedCalls {
  readonly #limit: EnforcedLimit;
  readonly #seconds: number;
  readonly #now: () => number;
  #firstMs: number | undefined;
  #sinceMs = 0;
  #left: number;
  #counts = { admitted: 0, calls: 0, throttled: 0 };

  constructor(limit: EnforcedLimit, seconds: number, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#seconds = seconds;
    this.#now = now;
    this.#left = limit.units;
  }

  readonly admit: CallLimit = ({ writes }) => {
    const cost = this.#limit.costs[writes ? 'write' : 'read'];
    if (cost === 0) return undefined;
    const now = this.#now();
    if (this.#firstMs === undefined) [this.#firstMs, this.#sinceMs] = [now, now];
    this.#refill(now);
    const isAdmitted = this.#left >= cost;
    if (isAdmitted) this.#left -= cost;
    if (now - this.#firstMs < this.#seconds * 1_000) {
      this.#counts.calls += 1;
      if (isAdmitted) this.#counts.admitted += cost;
      else this.#counts.throttled += 1;
    }
    return isAdmitted ? undefined : this.#waitSeconds(now, cost);
  };

  counts(): Admitted {
    const { form, units, seconds } = this.#limit;
    const possible = (units * this.#seconds) / seconds + (form === 'bucket' ? units : 0);
    const over = this.#firstMs !== undefined && this.#now() - this.#firstMs >= this.#seconds * 1_000;
    return { ...this.#counts, possible, over };
  }

  #refill(now: number): void {
    const { form, units, seconds } = this.#limit;
    const passed = (now - this.#sinceMs) / (seconds * 1_000);
    if (form === 'bucket') {
      this.#left = Math.min(units, this.#left + passed * units);
      this.#sinceMs = now;
    } else if (passed >= 1) {
      this.#left = units;
      this.#sinceMs += Math.floor(passed) * seconds * 1_000;
    }
  }

  #waitSeconds(now: number, cost: number): number {
    const { form, units, seconds, waitStep } = this.#limit;
    const wait = form === 'bucket' ? ((cost - this.#left) * seconds) / units : seconds - (now - this.#sinceMs) / 1_000;
    return Math.max(1, Math.ceil(wait / waitStep)) * waitStep;
  }
}
