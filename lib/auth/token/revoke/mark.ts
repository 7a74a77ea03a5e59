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

/** Marks at most so many tokens that have expired, or that are used up and not needed any more. Answers their number. */
export async function markEnded({ db }: Pick<Store, 'db'>, limit: number): Promise<number> {
  const { rows } = await sql`
    update tokens set revoked_at = now()
      from (select hash from ((select hash from tokens where expire_at <= now() and revoked_at is null
                                order by expire_at limit ${limit})
                              union (select hash from tokens
                                      where num_uses < 0 and in_use_until <= now() and revoked_at is null
                                      order by in_use_until limit ${limit})) as either
             limit ${limit}) as ended
     where tokens.hash = ended.hash and revoked_at is null returning 1`.execute(db);
  return rows.length;
}
