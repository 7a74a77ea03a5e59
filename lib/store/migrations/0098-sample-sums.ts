import { type QueryExecutorProvider, sql } from 'kysely';
import { alterSoon } from './alter-soon.ts';

/**
 * Arrivals: how many associations became dirty, which the sweep counts when it folds the changes of their counts, and moves into the samples. And
 * sums of samples, from which charts are read: of types by slot and span, of destinations by hour. A slot says whether they have it, since
 * sweeps of an earlier release make none. Each statement may run again.
 */
export async function sampleSums(db: QueryExecutorProvider): Promise<void> {
  for (const column of columns) await alterSoon(db, sql.raw(column));
  for (const statement of [table, ...indexes]) await sql.raw(statement).execute(db);
}

const columns = [
  'alter table destination_results add column if not exists arrived integer not null default 0',
  'alter table sync_samples add column if not exists arrived integer',
  'alter table sync_sample_spans add column if not exists arrived integer',
  'alter table sync_sample_slots add column if not exists summed boolean not null default false',
];

const table = `
  create table if not exists sync_sample_sums (
    namespace_id text collate "C" not null,
    seconds integer not null,
    slot timestamptz not null,
    type text collate "C" not null,
    name text collate "C" not null,
    pending integer not null,
    oldest_seconds float8,
    done integer not null,
    failed integer not null,
    arrived integer not null,
    errors jsonb not null,
    primary key (namespace_id, seconds, slot, type, name)
  )`;

const indexes = [
  'create index if not exists sync_sample_sums_slot on sync_sample_sums (slot)',
  'create index if not exists sync_sample_slots_unsummed on sync_sample_slots (slot) where not summed',
];
