import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Work over many associations, page by page in the order of their ids: those up to `after_id` are done. Each association that a batch
 * has changed has an item until its outcome is counted.
 */
export async function syncBatches(db: QueryExecutorProvider): Promise<void> {
  await sql`
    create table sync_batches (
      id uuid primary key,
      namespace_id text collate "C" not null,
      action text not null,
      filter jsonb not null,
      updated_before timestamptz,
      limit_count int,
      rate float8,
      state text not null default 'running',
      total int not null,
      association_max bigint not null,
      after_id bigint not null default 0,
      marked int not null default 0,
      settle_after bigint not null default 0,
      settled int not null default 0,
      outcomes jsonb not null default '{"synced": 0, "unsynced": 0, "failed": {}}',
      error text,
      created_at timestamptz not null default now(),
      stepped_at timestamptz not null default now(),
      turned_at timestamptz not null default now(),
      finished_at timestamptz
    )`.execute(db);
  await sql`
    create trigger sync_batches_in_namespace before insert on sync_batches
      for each row when (new.namespace_id <> 'root') execute function must_be_in_namespace()`.execute(db);
  await sql`create index sync_batches_namespace on sync_batches (namespace_id, created_at)`.execute(db);
  await sql`create index sync_batches_open on sync_batches (namespace_id, turned_at)
              where state in ('running', 'settling') or settled < marked`.execute(db);
  await sql`create index sync_batches_ended on sync_batches (finished_at) where finished_at is not null`.execute(db);
  await sql`
    create table sync_batch_items (
      batch_id uuid not null references sync_batches (id) on delete cascade,
      association_id bigint not null,
      generation int,
      primary key (batch_id, association_id)
    )`.execute(db);
}
