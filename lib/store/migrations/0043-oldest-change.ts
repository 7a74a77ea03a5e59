import type { QueryExecutorProvider } from 'kysely';
import { buildIndex } from './concurrent-index.ts';

/**
 * The oldest change of each type that has not arrived is a look at the end of this index; without it, a reading of all that is
 * out of date. Claims change neither column.
 */
export async function oldestChange(db: QueryExecutorProvider): Promise<void> {
  await buildIndex(db, {
    name: 'associations_dirty_since',
    on: 'associations (type, dirty_since) where generation > observed_generation',
  });
}
