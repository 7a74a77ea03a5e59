import type pg from 'pg';

/** A connection that was used within this time is assumed to be alive. */
const idleMsMax = 1_000;
/** Limit for a query that costs the server nothing. */
const answerMsMax = 2_000;

/**
 * Tests a connection before use if it was not used recently. The process may have been frozen meanwhile, as functions are between
 * two events, and the server, a pooler or the network may have closed the connection; no request should fail because of that.
 * Uses the system clock because timers do not advance while the process is frozen.
 */
export class Idleness {
  readonly #usedAt = new WeakMap<pg.PoolClient, number>();

  used(client: pg.PoolClient): void {
    this.#usedAt.set(client, Date.now());
  }

  async isAlive(client: pg.PoolClient): Promise<boolean> {
    const usedAt = this.#usedAt.get(client);
    if (usedAt === undefined || Math.abs(Date.now() - usedAt) < idleMsMax) return true;
    const late = Promise.withResolvers<false>();
    const timer = setTimeout(() => late.resolve(false), answerMsMax);
    const answered = client.query('select').then(
      () => true,
      () => false,
    );
    return Promise.race([answered, late.promise]).finally(() => clearTimeout(timer));
  }
}
