import type pg from 'pg';

/** A connection that was used within this time is taken to be alive. */
const idleMsMax = 1_000;
/** For a question that costs the server nothing. */
const answerMsMax = 2_000;

/**
 * Tries a connection before it is used, if it was not used lately: the process may have been frozen meanwhile, as functions are between
 * two events, and the server, a pooler or the network may have closed what we still hold. Nothing has to fail for that. It goes by the clock
 * of the machine, which other than timers knows of the pause.
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
