import { type QueryExecutorProvider, sql } from 'kysely';

/** Joint operations of key holders: the shares given so far, sealed. */
export async function keyAttempts(db: QueryExecutorProvider): Promise<void> {
  await sql`
    create table key_attempts (
      kind text primary key check (kind in ('rekey', 'root-token')),
      nonce text not null,
      started_at timestamptz not null,
      state bytea not null
    )`.execute(db);
}
