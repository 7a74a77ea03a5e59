import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * The attempts of each association. There is no foreign key: its check would lock the association for each attempt. The sweep
 * deletes the rows of associations that were deleted.
 */
export async function syncAttempts(db: QueryExecutorProvider): Promise<void> {
  await sql`
    create table sync_attempts (
      association_id bigint not null,
      id bigint generated always as identity,
      generation int not null,
      ended_at timestamptz not null default now(),
      duration_ms int not null,
      calls float8 not null,
      outcome text not null,
      error jsonb,
      request_id text,
      primary key (association_id, id)
    )`.execute(db);
}
