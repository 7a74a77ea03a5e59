import { type QueryExecutorProvider, sql } from 'kysely';

/** A batch can associate secrets of a mount with a destination. */
export async function syncBatchSecrets(db: QueryExecutorProvider): Promise<void> {
  await sql`
    alter table sync_batches add column destination_id bigint, add column mount_id uuid,
                             add column adopt boolean not null default false`.execute(db);
  await sql`
    create table sync_batch_secrets (
      batch_id uuid not null,
      secret_name text collate "C" not null,
      primary key (batch_id, secret_name)
    )`.execute(db);
}
