import { sql } from 'kysely';
import { bool, float } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { deletions } from './deletions.ts';
import { asColumns, type PendingOf } from './pending.ts';
import { beginOfSpan, hourSeconds, slotSeconds, spanSeconds } from './slots.ts';

/** Destinations of a namespace that a sample has by name; the others of a type are one row. */
export const namedMax = 20;
/** Destinations that a sample has by name in all. Each namespace has the same share. */
const namedInAllMax = 1_000;
/** Rows of a sample. */
const rowsMax = 5_000;

/**
 * Stores a sample and its sums, takes the counts of attempts and arrivals into it and deletes samples of yesterday, in one statement:
 * whoever inserts the slot does all of it, and another sweep at the same time nothing. Rows are locked in the order in which workers write them.
 */
export const storeSample = (pending: readonly PendingOf[], queued: number | null, capacity: number) => rowsOf({
  taken: bool,
  left_ms: float,
})`
  with slot as (
    insert into sync_sample_slots (slot, pending, capacity, summed)
    values (${beginOfSpan(sql`now()`, slotSeconds)}, ${queued}::int, ${capacity}::int, true)
        on conflict do nothing returning slot
  ),
  counted as materialized (
    select destination_id, done, failed, errors, arrived from destination_results
     where (done > 0 or failed > 0 or arrived > 0) and exists (select from slot)
     order by destination_id for no key update
  ),
  counted_anew as (
    update destination_results r set done = 0, failed = 0, errors = '{}', arrived = 0
      from counted c where r.destination_id = c.destination_id
  ),
  measured as materialized (
    select d.namespace_id, d.type, d.name, coalesce(p.pending, 0) as pending, p.oldest_seconds, coalesce(c.done, 0) as done,
           coalesce(c.failed, 0) as failed, coalesce(c.errors, '{}') as errors, coalesce(c.arrived, 0) as arrived
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
           r.done, r.failed, r.errors, r.arrived
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
    insert into sync_samples (namespace_id, slot, type, name, pending, oldest_seconds, done, failed, errors, arrived)
    select s.namespace_id, slot.slot, s.type, s.name, least(sum(s.pending), ${intMax})::int, max(s.oldest_seconds),
           sum(s.done)::int, sum(s.failed)::int, coalesce(k.errors, '{}'), least(sum(s.arrived), ${intMax})::int
      from slot cross join shown s left join kinds k using (namespace_id, type, name)
     group by s.namespace_id, slot.slot, s.type, s.name, k.errors
     order by s.name <> '', sum(s.pending) + sum(s.done) + sum(s.failed) desc
     limit ${rowsMax}::int
    returning *
  ),
  spanned as (
    insert into sync_sample_spans as s (namespace_id, slot, type, name, pending, oldest_seconds, done, failed, errors, arrived)
    select namespace_id, ${beginOfSpan(sql`slot`, spanSeconds)}, type, name, pending, oldest_seconds, done, failed, errors, arrived
      from stored
        on conflict (namespace_id, slot, type, name) do update set ${addedUp}
  ),
  ${sums},
  ${deletions}
  select exists (select from slot) as taken,
         (1000 * (${slotSeconds}::int - extract(epoch from now() - ${beginOfSpan(sql`now()`, slotSeconds)})))::float8 as left_ms`;

const intMax = sql`2147483647`;

/** The assignments that add a further sample to the row `s` of a span. */
const addedUp = sql`
           pending = greatest(s.pending, excluded.pending), oldest_seconds = greatest(s.oldest_seconds, excluded.oldest_seconds),
           done = s.done + excluded.done, failed = s.failed + excluded.failed,
           arrived = least(coalesce(s.arrived, 0)::bigint + excluded.arrived, ${intMax})::int,
           errors = case when excluded.failed = 0 then s.errors else (
             select coalesce(jsonb_object_agg(kind, count), '{}')
               from (select key as kind, sum(value::int) as count
                       from (select * from jsonb_each_text(s.errors) union all select * from jsonb_each_text(excluded.errors)) e
                      group by key) one) end`;

/** What charts are read from: of whole types a row for each slot and span, of destinations one for each hour. */
const sums = sql`
  kinds_of_type as (
    select namespace_id, type, jsonb_object_agg(kind, count) as errors
      from (select s.namespace_id, s.type, e.key as kind, sum(e.value::int) as count
              from stored s cross join lateral jsonb_each_text(s.errors) e group by s.namespace_id, s.type, e.key) one
     group by namespace_id, type
  ),
  typed as (
    select namespace_id, slot, type, least(sum(pending), ${intMax})::int as pending, max(oldest_seconds) as oldest_seconds,
           sum(done)::int as done, sum(failed)::int as failed, least(sum(arrived), ${intMax})::int as arrived
      from stored group by namespace_id, slot, type
  ),
  summed as (
    insert into sync_sample_sums as s
           (namespace_id, seconds, slot, type, name, pending, oldest_seconds, done, failed, arrived, errors)
    select t.namespace_id, l.seconds, ${beginOfSpan(sql`t.slot`, sql`l.seconds`)}, t.type, '', t.pending, t.oldest_seconds, t.done, t.failed,
           t.arrived, coalesce(k.errors, '{}')
      from typed t left join kinds_of_type k using (namespace_id, type)
     cross join (values (${slotSeconds}::int), (${spanSeconds}::int)) l (seconds)
     union all
    select namespace_id, ${hourSeconds}::int, ${beginOfSpan(sql`slot`, hourSeconds)}, type, name, pending, oldest_seconds, done, failed,
           arrived, errors
      from stored where name <> ''
        on conflict (namespace_id, seconds, slot, type, name) do update set ${addedUp}
  )`;
