import type { Clock } from '../../core/clock.ts';

/** An answer younger than this says that the database is there; so a busy service is not asked, and not called ill. */
const freshMs = 5_000;
/** A health check cannot wait as long as a query may. */
const pingMsMax = 2_000;

/** Knows whether the database answers, from the queries that run anyway. */
export class Reachability {
  readonly #clock: Clock;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  #pinging: Promise<boolean> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  answered(): void {
    this.#answeredAtMs = this.#clock.now().getTime();
  }

  lost(): void {
    this.#answeredAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Asks by `ping` only if no query was answered lately. Never throws. */
  async check(ping: () => Promise<unknown>): Promise<boolean> {
    if (this.#clock.now().getTime() - this.#answeredAtMs < freshMs) return true;
    this.#pinging ??= inTime(ping()).finally(() => {
      this.#pinging = undefined;
    });
    return this.#pinging;
  }
}

async function inTime(ping: Promise<unknown>): Promise<boolean> {
  const deadline = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => deadline.resolve(false), pingMsMax);
  const answer = ping.then(
    () => true,
    () => false,
  );
  return Promise.race([answer, deadline.promise]).finally(() => clearTimeout(timer));
}
