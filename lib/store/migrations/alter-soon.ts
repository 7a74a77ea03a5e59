import { setTimeout as delay } from 'node:timers/promises';
import type { QueryExecutorProvider, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { isLockTimeout } from '../postgres/failure.ts';

/** How long other users of the table may have to wait behind the change. */
const lockMsMax = 1_000;
const attemptsMax = 300;
const attemptsEveryMs = 1_000;

/**
 * Changes a table while other processes use it. The change waits for every transaction that has read the table, such as a backup, and
 * later statements queue up behind it. It therefore gives up its lock request after a short time and tries again.
 */
export async function alterSoon(db: QueryExecutorProvider, change: RawBuilder<unknown>): Promise<void> {
  // Statements that are sent together form one transaction.
  const statement = sql`${sql.raw(`set local lock_timeout = ${lockMsMax}`)}; ${change}`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await statement.execute(db);
      return;
    } catch (error) {
      if (attempt >= attemptsMax || !isLockTimeout(error)) throw error;
    }
    await delay(attemptsEveryMs);
  }
}
