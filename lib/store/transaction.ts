import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';
import { isRepeatable } from './postgres/failure.ts';
import type { Database } from './tables.ts';

const attemptsMax = 5;
const delayMsBase = 5;

/**
 * Runs `work` in a transaction, and again from its start when concurrent changes made PostgreSQL roll it back: so `work`
 * must do nothing outside of the transaction that may not happen twice. After five attempts the error is the caller's.
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
      // Those that collided must not meet again at the same instant.
      await delay(delayMsBase * 2 ** attempt * Math.random());
    }
  }
}
