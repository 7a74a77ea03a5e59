import { sql } from 'kysely';
import { AppError } from '#core/errors.ts';
import type { Queue } from '#queue/contract.ts';
import { bool, float } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { asColumns, pendingByDestination } from './pending.ts';
import { beginOfSpan, keptHours, slotSeconds, spanSeconds } from './slots.ts';

/** Destinations of a namespace that a sample has by name; the others of a type are one row. */
export const namedMax = 20;
/** Destinations that a sample has by name in all. Each namespace has the same share. */
export const namedInAllMax = 1_000;
/** Rows of a sample. */
const rowsMax = 5_000;
/** Slots that a sample deletes at most, so that a day that ended at once is deleted in steps. */
const deletedMax = 100;

export interface SampleParts {
  readonly store: Pick<Store, 'db'>;
  readonly queue: Pick<Queue, 'pendingCount'>;
}

export interface Taken {
  /** False: another sweep has taken the sample of this slot. */
  readonly taken: boolean;
  /** How long this slot goes on. */
  readonly leftMs: number;
}

/** Takes the sample of this slot, unless there is one. */
export async function takeSample({ store, queue }: SampleParts, capacity: number): Promise<Taken> {
  const pending = await pendingByDestination(store);
  const queued = await queue.pendingCount().catch(unlessAway);
  const { rows } = await storeSample(pending, queued, capacity).execute(store.db);
  const [row] = rows;
  return { taken: row?.taken === true, leftMs: row?.left_ms ?? slotSeconds * 1_000 };
}

function unlessAway(cause: unknown): null {
  if (cause instanceof AppError && cause.kind === 'unavailable') return null;
  throw cause;
}

/**
 * Stores a sample, takes the counts of attempts into it and deletes samples of yesterday, in one statement: whoever inserts the slot does
 * all of it, and another sweep at the same time nothing. Rows are locked in the order in which workers write them.
 */
const storeSample = (pending: Parameters<typeof asColumns>[0], queued: number | null, capacity: number) => rowsOf({
  taken: bool,
  left_ms: float,
})`
  with slot as (
    insert into sync_sample_slots (slot, pending, capacity)
    values (${beginOfSpan(sql`now()`, slotSeconds)}, ${queued}::int, ${capacity}::int)
        on conflict do nothing returning slot
  ),
  counted as materialized (
    select destination_id, done, failed, errors from destination_results
     where (done > 0 or failed > 0) and exists (select from slot)
     order by destination_id for no key update
  ),
  counted_anew as (
    update destination_results r set done = 0, failed = 0, errors = '{}' from counted c where r.destination_id = c.destination_id
  ),
  measured as materialized (
    select d.namespace_id, d.type, d.name, coalesce(p.pending, 0) as pending, p.oldest_seconds, coalesce(c.done, 0) as done,
           coalesce(c.failed, 0) as failed, coalesce(c.errors, '{}') as errors
      from ${asColumns(pending)} p (destination_id, pending, oldest_seconds)
      full join counted c on c.destination_id = p.destination_id
      join destinations d on d.id = coalesce(c.destination_id, p.destination_id)
     where exists (select from slot)
  ),
  ranked as (
    select m.*, row_number() over (partition by namespace_id order by m.pending::bigint + m.done + m.failed desc, type, name) as place
      from measured m
  ),
  shown as materialized (
    select r.namespace_id, r.type, case when r.place <= share.count then r.name else '' end as name, r.pending, r.oldest_seconds,
           r.done, r.failed, r.errors
      from ranked r
     cross join (select greatest(1, least(${namedMax}::int, ${namedInAllMax}::int / greatest(count(distinct namespace_id), 1))) as count
                   from measured) share
  ),
  kinds as (
    select namespace_id, type, name, jsonb_object_agg(kind, count) as errors
      from (select s.namespace_id, s.type, s.name, e.key as kind, sum(e.value::int) as count
              from shown s cross join lateral jsonb_each_text(s.errors) e group by s.namespace_id, s.type, s.name, e.key) one
     group by namespace_id, type, name
  ),
  stored as (
    insert into sync_samples (namespace_id, slot, type, name, pending, oldest_seconds, done, failed, errors)
    select s.namespace_id, slot.slot, s.type, s.name, least(sum(s.pending), 2147483647)::int, max(s.oldest_seconds),
           sum(s.done)::int, sum(s.failed)::int, coalesce(k.errors, '{}')
      from slot cross join shown s left join kinds k using (namespace_id, type, name)
     group by s.namespace_id, slot.slot, s.type, s.name, k.errors
     order by s.name <> '', sum(s.pending) + sum(s.done) + sum(s.failed) desc
     limit ${rowsMax}::int
    returning *
  ),
  spanned as (
    insert into sync_sample_spans as s (namespace_id, slot, type, name, pending, oldest_seconds, done, failed, errors)
    select namespace_id, ${beginOfSpan(sql`slot`, spanSeconds)}, type, name, pending, oldest_seconds, done, failed, errors
      from stored
        on conflict (namespace_id, slot, type, name) do update
       set pending = greatest(s.pending, excluded.pending), oldest_seconds = greatest(s.oldest_seconds, excluded.oldest_seconds),
           done = s.done + excluded.done, failed = s.failed + excluded.failed,
           errors = case when excluded.failed = 0 then s.errors else (
             select coalesce(jsonb_object_agg(kind, count), '{}')
               from (select key as kind, sum(value::int) as count
                       from (select * from jsonb_each_text(s.errors) union all select * from jsonb_each_text(excluded.errors)) e
                      group by key) one) end
  ),
  ended as materialized (
    select slot from sync_sample_slots
     where slot <= now() - ${keptHours}::int * interval '1 hour' and exists (select from slot)
     order by slot limit ${deletedMax}::int
  ),
  deleted as (delete from sync_samples s using ended e where s.slot = e.slot),
  deleted_spans as (delete from sync_sample_spans s using ended e where s.slot = e.slot),
  deleted_slots as (delete from sync_sample_slots s using ended e where s.slot = e.slot)
  select exists (select from slot) as taken,
         (1000 * (${slotSeconds}::int - extract(epoch from now() - ${beginOfSpan(sql`now()`, slotSeconds)})))::float8 as left_ms`;
