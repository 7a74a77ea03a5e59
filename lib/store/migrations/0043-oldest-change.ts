import type { QueryExecutorProvider } from 'kysely';
import { buildIndex } from './concurrent-index.ts';

/**
 * With this index, the oldest unsynced change of each type is a single index lookup instead of a scan of everything out of date. Claims
 * change neither column.
 */
export async function oldestChange(db: QueryExecutorProvider): Promise<void> {
  await buildIndex(db, {
    name: 'associations_dirty_since',
    on: 'associations (type, dirty_since) where generation > observed_generation',
  });
}
