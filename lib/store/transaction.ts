import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';
import { isRepeatable } from './postgres/failure.ts';
import type { Database } from './tables.ts';

const attemptsMax = 5;
const delayMsBase = 5;

/**
 * Runs `work` in a transaction, and repeats it from the start when PostgreSQL rolls it back because of concurrent changes. Any
 * effect of `work` outside the transaction must therefore be safe to repeat. Throws the error of the fifth attempt.
 */
export async function inTransaction<T>(
  db: Kysely<Database>,
  work: (tx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (attempt >= attemptsMax || !isRepeatable(error)) throw error;
      // A random delay keeps the transactions that collided from colliding again.
      await delay(delayMsBase * 2 ** attempt * Math.random());
    }
  }
}
