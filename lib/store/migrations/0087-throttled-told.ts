import { type QueryExecutorProvider, sql } from 'kysely';

/** What was last told of the throttling of a destination. */
export async function throttledTold(db: QueryExecutorProvider): Promise<void> {
  await sql`
    alter table sync_told
      add column throttled boolean not null default false,
      add column throttled_told_at timestamptz`.execute(db);
}
