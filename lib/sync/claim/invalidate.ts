import { sql } from 'kysely';
import type { Store } from '../../store/store.ts';

/**
 * Makes an association dirty whose objects may be older than what the store says of them: a worker that was held up for
 * longer than its claim has called out after another one had pushed something newer. The next attempt pushes even what looks
 * unchanged; the sweep queues it, should its job be gone. Its rechecks follow, since what became of the calls was not written back.
 */
export const invalidates =
  (store: Store) =>
  async (id: string): Promise<void> => {
    await sql`
      update associations
         set generation = generation + 1, forced_generation = generation + 1, attempts = 0, status = 'PENDING',
             updated_at = now(), dirty_since = coalesce(dirty_since, now()),
             unconfirmed_at = now(), recheck_at = null, rechecks = 0
       where id = ${id}::bigint`.execute(store.db);
  };
