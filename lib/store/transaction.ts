import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';
import { isRepeatable } from './postgres/failure.ts';
import type { Database } from './tables.ts';

const roundsMax = 5;
const delayMsBase = 5;

/**
 * Runs `work` in a transaction, and again from its start when concurrent changes made PostgreSQL roll it back: so `work`
 * must do nothing outside of the transaction that may not happen twice. After five rounds the error is the caller's.
 */
export async function inTransaction<T>(
  db: Kysely<Database>,
  work: (tx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  for (let round = 1; ; round += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (round >= roundsMax || !isRepeatable(error)) throw error;
      // Those that collided must not meet again at the same instant.
      await delay(delayMsBase * 2 ** round * Math.random());
    }
  }
}
