import type { QueryExecutorProvider } from 'kysely';
import { bigintText, text } from '../sql/kinds.ts';
import { rowsOf } from '../sql/rows.ts';

/** Identifies the history of a database. Null where the server does not reveal it. */
export interface Lineage {
  /** Shared by all copies of one cluster. */
  readonly cluster: string | null;
  /** A promoted standby begins the next timeline, and so does a restore to a point in time. */
  readonly timeline: number | null;
}

/**
 * Reads the lineage by functions that every role may call but some PostgreSQL-compatible services lack. The two queries run
 * outside a transaction, so that each can fail alone.
 */
export async function readLineage(db: QueryExecutorProvider): Promise<Lineage> {
  return { cluster: await orNull(clusterOf, db), timeline: await orNull(timelineOf, db) };
}

async function clusterOf(db: QueryExecutorProvider): Promise<string | undefined> {
  const { rows } = await rowsOf({ cluster: bigintText })`
    select system_identifier::text as cluster from pg_control_system()`.execute(db);
  return rows[0]?.cluster;
}

/** The timeline of the current WAL segment, whose name begins with it; the control file records a promotion only later. */
async function timelineOf(db: QueryExecutorProvider): Promise<number | undefined> {
  const { rows } = await rowsOf({ segment: text })`select pg_walfile_name(pg_current_wal_lsn()) as segment`.execute(db);
  const digits = rows[0]?.segment.slice(0, 8) ?? '';
  return /^[0-9A-F]{8}$/.test(digits) ? Number.parseInt(digits, 16) : undefined;
}

/** The function does not exist, may not be called, is not supported, or is not available during recovery. */
const refusals: ReadonlySet<unknown> = new Set<unknown>(['42883', '42501', '0A000', '55000']);

async function orNull<T>(
  read: (db: QueryExecutorProvider) => Promise<T | undefined>,
  db: QueryExecutorProvider,
): Promise<T | null> {
  try {
    return (await read(db)) ?? null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && refusals.has(error.code)) return null;
    throw error;
  }
}
