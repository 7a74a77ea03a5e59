import { type QueryExecutorProvider, sql } from 'kysely';

/** A table of its own, so that storing a result takes no lock on the destination that its associations wait for. */
export async function destinationResults(db: QueryExecutorProvider): Promise<void> {
  await sql`
    create table destination_results (
      destination_id bigint primary key references destinations (id) on delete cascade,
      last_success_at timestamptz,
      last_error_at timestamptz,
      last_error jsonb,
      last_error_request_id text
    ) with (fillfactor = 50)`.execute(db);
}
