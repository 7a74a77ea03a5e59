import { type QueryExecutorProvider, sql } from 'kysely';
import { alterSoon } from './alter-soon.ts';

/**
 * Arrivals: triggers count the associations that become dirty in the rows that they add anyway, the sweep moves these numbers to the results of
 * the destination, and from there into the samples. And sums of samples, from which charts are read: of types by slot and span, of destinations
 * by hour. A slot says whether they have it, since sweeps of an earlier release make none. Each statement may run again.
 */
export async function sampleSums(db: QueryExecutorProvider): Promise<void> {
  for (const column of columns) await alterSoon(db, sql.raw(column));
  for (const statement of [table, ...indexes, countFunction]) await sql.raw(statement).execute(db);
}

const columns = [
  'alter table association_counts add column if not exists arrived integer not null default 0',
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

/** As in 0085. */
const isRemnant = `(desired = 'absent' and status = 'UNSYNCED')`;

/** As in 0085. */
const numbersOf = (from: string, factor: 1 | -1): string => `
  select destination_id, status,
         case when status <> 'SYNCED' and (status <> 'PENDING' or attempts > 0) and not ${isRemnant}
              then coalesce(error ->> 'kind', '') else '' end as kind,
         case when ${isRemnant} then 0 else ${factor} end as associations,
         case when generation > observed_generation then ${factor} else 0 end as dirty,
         case when drift is null or ${isRemnant} then 0 else ${factor} end as drifted
    from ${from}`;

const sumsOf = (...groups: readonly string[]): string => `
  select destination_id, status, kind, sum(associations) as associations, sum(dirty) as dirty, sum(drifted) as drifted
    from (${groups.join(' union all ')}) as groups
   group by destination_id, status, kind
  having sum(associations) <> 0 or sum(dirty) <> 0 or sum(drifted) <> 0`;

const target = 'insert into association_counts (destination_id, status, kind, associations, dirty, drifted, arrived)';

/**
 * A statement makes associations dirty, or it brings some in line, but not both, so the associations of a destination that became dirty are as
 * many as it has more than before. A retry or another change of one that is dirty adds none. One of the rows has the number.
 */
const countFunction = `
  create or replace function count_associations() returns trigger language plpgsql as $$
  begin
    if tg_op = 'UPDATE' then ${target}
      select destination_id, status, kind, associations, dirty, drifted,
             case row_number() over of_destination when 1 then greatest(sum(dirty) over of_destination, 0) else 0 end
        from (${sumsOf(numbersOf('after_it', 1), numbersOf('before_it', -1))}) as changes
      window of_destination as (
        partition by destination_id order by dirty desc rows between unbounded preceding and unbounded following);
    elsif tg_op = 'INSERT' then ${target}
      select changes.*, dirty from (${sumsOf(numbersOf('after_it', 1))}) as changes;
    else ${target}
      select changes.*, 0 from (${sumsOf(numbersOf('before_it', -1))}) as changes;
    end if;
    return null;
  end $$`;
