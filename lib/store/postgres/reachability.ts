import type { Clock } from '#core/clock.ts';

/** An answer within this time shows that the database is reachable, so a busy service sends no ping and is not reported as unhealthy. */
const freshMs = 5_000;
/** A health check cannot wait as long as a query may. */
const pingMsMax = 2_000;

/** Derives from the ordinary queries whether the database answers. */
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

  /** Calls `ping` only if no query was answered recently. Never throws. */
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
