import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * The cluster and the timeline that the sync saw last. A different value means that a standby was promoted or a backup restored, and that
 * the most recent changes may be missing.
 */
export async function lineage(db: QueryExecutorProvider): Promise<void> {
  await sql`
    create table lineage (
      id integer primary key check (id = 1),
      cluster text,
      timeline bigint,
      since timestamptz not null default now()
    )`.execute(db);
}
