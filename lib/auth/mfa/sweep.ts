import { sql } from 'kysely';
import type { Store } from '#store/store.ts';
import { dropRemoved } from './methods/drop.ts';

const tables = [
  { name: 'mfa_used_codes', key: 'method_id, entity_id, step' },
  { name: 'mfa_attempts', key: 'method_id, entity_id' },
  { name: 'mfa_pending_logins', key: 'id_hash' },
];
const methodsMax = 10;

/**
 * Deletes used codes, windows of attempts and pending logins that have expired, at most `limit` of each, and completes interrupted
 * removals of methods. Returns the number of deleted rows.
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
