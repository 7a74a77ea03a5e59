import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * The history that the store stood in when the sync last looked: which cluster, and which of its timelines. Another one means that a
 * standby was promoted, or a backup restored, and that what came last may be missing.
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
