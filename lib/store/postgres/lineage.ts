import { type QueryExecutorProvider, sql } from 'kysely';

/** The history that a database stands in. Null: the server does not let us know. */
export interface Lineage {
  /** Of all copies of one cluster. */
  readonly cluster: string | null;
  /** A promoted standby begins the next one, and so does a restore to a point in time. */
  readonly timeline: number | null;
}

/**
 * Reads where a database stands: by functions that every role may call, and that some services which speak like PostgreSQL do not
 * have. Each fails alone, outside of a transaction.
 */
export async function readLineage(db: QueryExecutorProvider): Promise<Lineage> {
  return { cluster: await orNull(clusterOf, db), timeline: await orNull(timelineOf, db) };
}

async function clusterOf(db: QueryExecutorProvider): Promise<string | undefined> {
  const { rows } = await sql<{ cluster: string }>`
    select system_identifier::text as cluster from pg_control_system()`.execute(db);
  return rows[0]?.cluster;
}

/** Of what is written now: the control file learns of a promotion later. The name of a segment begins with its timeline. */
async function timelineOf(db: QueryExecutorProvider): Promise<number | undefined> {
  const { rows } = await sql<{ segment: string }>`select pg_walfile_name(pg_current_wal_lsn()) as segment`.execute(db);
  const digits = rows[0]?.segment.slice(0, 8) ?? '';
  return /^[0-9A-F]{8}$/.test(digits) ? Number.parseInt(digits, 16) : undefined;
}

/** No such function, no right to call it, not offered, or not while it recovers. */
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
