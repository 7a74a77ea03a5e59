import type { QueryExecutorProvider } from 'kysely';
import { buildIndex, dropIndex } from './concurrent-index.ts';

/**
 * Adds indexes for the replay and for the end of purges, and drops an unused one. An index on a column that claims change
 * (`claimed_until`, `next_attempt_at`) would make every claim write a new entry into every index of the table, so there is none.
 * `status` changes only together with the generations, which are indexed already.
 */
export async function syncIndexes(db: QueryExecutorProvider): Promise<void> {
  await buildIndex(db, {
    name: 'associations_failed',
    on: `associations (id) where status in ('CLIENT_SIDE_ERROR', 'EXTERNAL_SERVICE_ERROR', 'INTERNAL_ERROR')`,
  });
  await buildIndex(db, {
    name: 'destinations_purging',
    on: 'destinations (id) where purge_initiated_at is not null',
  });
  await dropIndex(db, 'associations_next_attempt');
}
