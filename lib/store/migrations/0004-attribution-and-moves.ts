import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Who changed a secret or a version of it, null where it is unknown because the row is older; and the moves of mounts, so that every
 * process can report them.
 *
 * Each change is a separate statement: holding the lock of one table while waiting for another could deadlock with a write. Each
 * statement may run again.
 */
export async function attributionAndMoves(db: QueryExecutorProvider): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'alter table kv_secrets add column if not exists last_updated_by jsonb',
  'alter table kv_versions add column if not exists created_by jsonb, add column if not exists deleted_by jsonb',
  `create table if not exists mount_moves (
     id uuid primary key,
     source text not null,
     target text not null,
     ended_at timestamptz not null
   )`,
];
