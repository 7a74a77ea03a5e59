import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Workers count attempts in the rows that they write anyway, and the sweep moves the counts into the samples. Samples have the name of
 * their destination, so that they outlive it, and no fence of the namespace, because all of them end after a day.
 */
export async function syncSamples(db: QueryExecutorProvider): Promise<void> {
  await sql`
    alter table destination_results
      add column done int not null default 0,
      add column failed int not null default 0,
      add column errors jsonb not null default '{}'`.execute(db);
  await sql`
    create table sync_sample_slots (
      slot timestamptz primary key,
      pending int,
      capacity int not null
    )`.execute(db);
  await sql`
    create table sync_samples (
      namespace_id text collate "C" not null,
      slot timestamptz not null,
      type text collate "C" not null,
      name text collate "C" not null,
      pending int not null,
      oldest_seconds float8,
      done int not null,
      failed int not null,
      errors jsonb not null,
      primary key (namespace_id, slot, type, name)
    )`.execute(db);
  await sql`create index sync_samples_slot on sync_samples (slot)`.execute(db);
  // The sums of five minutes, from which a day is read.
  await sql`create table sync_sample_spans (like sync_samples including constraints, primary key (namespace_id, slot, type, name))`.execute(
    db,
  );
  await sql`create index sync_sample_spans_slot on sync_sample_spans (slot)`.execute(db);
}
