import type { QueryExecutorProvider } from 'kysely';
import { buildIndex } from './concurrent-index.ts';

/** The sweep deletes the oldest logs of runs. */
export const runLogs = (db: QueryExecutorProvider): Promise<void> =>
  buildIndex(db, { name: 'ws_blobs_logs', on: `ws_blobs (touched_at) where kind = 'log'` });
