import type { QueryExecutorProvider } from 'kysely';
import { sql } from 'kysely';
import { alterSoon } from './alter-soon.ts';
import { buildIndex } from './concurrent-index.ts';

/**
 * A disabled mount keeps its row until its content has been deleted, under a path that no request can name, so that releases without these
 * columns cannot reach it either. Each statement may run again.
 */
export async function mountRemovals(db: QueryExecutorProvider): Promise<void> {
  await alterSoon(
    db,
    sql`alter table mounts add column if not exists removed_at timestamptz, add column if not exists removed_path text`,
  );
  await buildIndex(db, {
    name: 'mounts_removed',
    on: 'mounts (namespace_id, removed_at) where removed_at is not null',
  });
}
