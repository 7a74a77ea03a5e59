import type { QueryExecutorProvider } from 'kysely';
import { buildIndex, dropIndex } from './concurrent-index.ts';

/** The sweep deletes the oldest files of the runs of each workspace: logs and plans. */
export async function runFiles(db: QueryExecutorProvider): Promise<void> {
  await buildIndex(db, {
    name: 'ws_blobs_run_files',
    on: `ws_blobs (workspace_id, touched_at) where kind in ('log', 'plan')`,
  });
  await dropIndex(db, 'ws_blobs_logs');
}
