import { sql } from 'kysely';
import type { Store } from '../../store/store.ts';
import { dropRemoved } from './methods/drop.ts';

const tables = [
  { name: 'mfa_used_codes', key: 'method_id, entity_id, step' },
  { name: 'mfa_attempts', key: 'method_id, entity_id' },
  { name: 'mfa_pending_logins', key: 'id_hash' },
];
const methodsMax = 10;

/**
 * Deletes codes that nobody can use again, windows of attempts and pending logins that are over, so many of each at most, and
 * ends removals of methods that were cut off. Answers how many rows went.
 */
export async function dropExpiredMfa({ db }: Pick<Store, 'db'>, limit: number): Promise<number> {
  let dropped = 0;
  for (const { name, key } of tables) {
    const { rows } = await sql`
      delete from ${sql.table(name)} where (${sql.raw(key)}) in (
        select ${sql.raw(key)} from ${sql.table(name)} where expire_at <= now() limit ${limit}
           for update skip locked) returning 1`.execute(db);
    dropped += rows.length;
  }
  return dropped + (await dropRemoved({ db }, methodsMax));
}
