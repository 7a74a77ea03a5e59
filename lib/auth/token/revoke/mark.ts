import { sql } from 'kysely';
import type { Store } from '../../../store/store.ts';

/**
 * Revoking begins with a mark. From its commit on no token of the tree below is valid in any process, since a look-up asks
 * for marks of its ancestors (`store.ts`); the rows go afterwards (`reap.ts`).
 */
export async function markToken({ db }: Pick<Store, 'db'>, hash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    update tokens set revoked_at = now() where hash = ${hash} and revoked_at is null returning 1`.execute(db);
  return rows.length > 0;
}
