import type { QueryExecutorProvider } from 'kysely';
import { buildIndex } from './concurrent-index.ts';

/** The oldest change of a destination that waits to be synced, without reading the others. */
export const oldestChangeOfDestination = (db: QueryExecutorProvider): Promise<void> =>
  buildIndex(db, {
    name: 'associations_waiting',
    on: `associations (destination_id, dirty_since) where generation > observed_generation and status <> 'SYNCED'`,
  });
