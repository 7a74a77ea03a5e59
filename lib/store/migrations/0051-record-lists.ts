import type { QueryExecutorProvider } from 'kysely';
import { buildIndex } from './concurrent-index.ts';

/**
 * Lists of associations by status, kind of error, and unconfirmed calls, in the order of the unique index of associations. Each index has
 * only the rows that a healthy installation has few of, so a change that is synced at once adds an entry to the first of them alone. Claims
 * change none of the columns, unless an earlier claim ended without a result.
 */
export async function recordLists(db: QueryExecutorProvider): Promise<void> {
  await buildIndex(db, {
    name: 'associations_status',
    on: `associations (destination_id, status, mount_id, secret_name) where status <> 'SYNCED'`,
  });
  await buildIndex(db, {
    name: 'associations_error_kind',
    on: `associations (destination_id, (error ->> 'kind'), mount_id, secret_name) where error is not null`,
  });
  await buildIndex(db, {
    name: 'associations_unconfirmed',
    on: 'associations (destination_id, mount_id, secret_name) where unconfirmed_at is not null',
  });
}
