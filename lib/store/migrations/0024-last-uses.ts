import { type QueryExecutorProvider, sql } from 'kysely';
import { buildIndex, dropIndex } from './concurrent-index.ts';

/**
 * Until when the request with the last use of a token may need it. The default requires no work on old rows and makes the sweep remove
 * tokens used up by an older release at once, as that release does. Each statement may run again.
 */
export async function lastUses(db: QueryExecutorProvider): Promise<void> {
  await sql`alter table tokens add column if not exists in_use_until timestamptz not null default now()`.execute(db);
  await buildIndex(db, { name: 'tokens_last_use', on: 'tokens (in_use_until) where num_uses < 0' });
  await dropIndex(db, 'tokens_used_up');
}
