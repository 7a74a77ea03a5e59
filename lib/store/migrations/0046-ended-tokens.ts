import type { QueryExecutorProvider } from 'kysely';
import { buildIndex, dropIndex } from './concurrent-index.ts';

/**
 * Indexes that find ending tokens by namespace, so that namespaces take turns when tokens are removed. They replace the indexes over all
 * namespaces.
 */
export async function endedTokens(db: QueryExecutorProvider): Promise<void> {
  for (const index of indexes) await buildIndex(db, index);
  for (const name of replaced) await dropIndex(db, name);
}

const indexes = [
  { name: 'tokens_ends', on: 'tokens (namespace_id, expire_at) where expire_at is not null' },
  { name: 'tokens_marked', on: 'tokens (namespace_id, revoked_at) where revoked_at is not null' },
  { name: 'tokens_spent', on: 'tokens (namespace_id, in_use_until) where num_uses < 0' },
];

const replaced = ['tokens_expire_at', 'tokens_revoked', 'tokens_last_use'];
