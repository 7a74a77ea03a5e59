import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { RowOf } from '#store/sql/columns.ts';
import { float, jsonOf, nullable, text, timestamptz } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { samplesByDestination } from './destination-sources.ts';
import type { Places, SampleRange } from './places.ts';
import { beginOfSpan } from './slots.ts';
import { samplesByType } from './sources.ts';

/** Destinations whose sums are shown: those with the most failures, then with the most work. */
export const summedMax = 100;

/** The sums of a step, of a type or of a destination. */
export type SampleRow = RowOf<typeof sampleColumns>;

const sampleColumns = {
  /** Null in the sums of a type and of a destination. */
  at: nullable(timestamptz),
  /** Null in those of a step. */
  type: nullable(text),
  /** Null in those of a step and of a type. */
  name: nullable(text),
  /** How many samples a step has; 0 in sums. */
  samples: float,
  /** Of the queue of all namespaces, the greatest of the step. */
  queued: nullable(float),
  capacity: nullable(float),
  /** The greatest of the step; of a step of spans, the sum of the greatest of each type, or of each destination that counts by itself. */
  pending: float,
  oldest_seconds: nullable(float),
  done: float,
  failed: float,
  /** Null: only sweeps of an earlier release took the samples. */
  arrived: nullable(float),
  errors: nullable(jsonOf(z.record(z.string(), z.number()))),
};

/**
 * The samples of a range in steps, and the sums of types and destinations over all of it. A step without a sample has no row. One
 * statement: steps and types are computed from the sums of types, and destinations from those of hours, so what it reads depends little on
 * the number of destinations.
 * @param places those that count; undefined: all
 */
export async function readSamples(
  { db }: Pick<Store, 'db'>,
  range: SampleRange,
  stepSeconds: number,
  places: Places | undefined,
): Promise<readonly SampleRow[]> {
  const { rows } = await samplesStatement(range, stepSeconds, places).execute(db);
  return rows;
}

export function samplesStatement(range: SampleRange, stepSeconds: number, places: Places | undefined) {
  const step = (slot: RawBuilder<unknown>) => beginOfSpan(slot, stepSeconds);
  return rowsOf(sampleColumns)`
    with chosen as materialized (${samplesByType(range, stepSeconds, places)}),
    found as materialized (${samplesByDestination(range, places)}),
    queue as (
      select ${step(sql`slot`)} as at, count(*) as samples, max(pending) as queued, max(capacity) as capacity
        from sync_sample_slots where slot >= ${range.from} and slot < ${range.to} group by 1
    ),
    typed as materialized (
      select slot, type, sum(pending) as pending, max(oldest_seconds) as oldest_seconds, sum(done) as done, sum(failed) as failed,
             sum(arrived) as arrived
        from chosen group by slot, type
    ),
    points as (
      select ${step(sql`slot`)} as at, max(pending) as pending, max(oldest_seconds) as oldest_seconds, sum(done) as done,
             sum(failed) as failed, sum(arrived) as arrived
        from (select slot, sum(pending) as pending, max(oldest_seconds) as oldest_seconds, sum(done) as done, sum(failed) as failed,
                     sum(arrived) as arrived
                from typed group by slot) one
       group by 1
    ),
    named as materialized (
      select type, name, max(pending) as pending, max(oldest_seconds) as oldest_seconds, sum(done) as done, sum(failed) as failed,
             sum(arrived) as arrived
        from found group by type, name
       order by sum(failed) desc, sum(done) desc, type, name limit ${summedMax}::int
    ),
    kinds as materialized (
      select at, type, jsonb_object_agg(kind, count) as errors
        from (select o.at, o.type, e.key as kind, sum(e.value::float8 * o.times) as count
                from (select ${step(sql`slot`)} as at, type, errors, times from chosen where errors is not null) o
               cross join lateral ${kindsOf(sql`o.errors`)} e
               group by grouping sets ((o.at, e.key), (o.type, e.key))) one
       group by at, type
    ),
    named_kinds as (
      select type, name, jsonb_object_agg(kind, count) as errors
        from (select f.type, f.name, e.key as kind, sum(e.value::float8 * f.times) as count
                from found f join named using (type, name) cross join lateral ${kindsOf(sql`f.errors`)} e
               group by f.type, f.name, e.key) one
       group by type, name
    )
    select q.at, null::text as type, null::text as name, q.samples::float8 as samples, q.queued::float8 as queued,
           q.capacity::float8 as capacity, coalesce(p.pending, 0) as pending, p.oldest_seconds, coalesce(p.done, 0) as done,
           coalesce(p.failed, 0) as failed, case when p.done is null then 0 else p.arrived end as arrived, k.errors
      from queue q left join points p using (at) left join kinds k using (at)
     union all
    select null, t.type, null, 0, null, null, t.pending, t.oldest_seconds, t.done, t.failed, t.arrived, k.errors
      from (select type, max(pending) as pending, max(oldest_seconds) as oldest_seconds, sum(done) as done, sum(failed) as failed,
                   sum(arrived) as arrived
              from typed group by type) t
      left join kinds k on k.type = t.type
     union all
    select null, n.type, n.name, 0, null, null, n.pending, n.oldest_seconds, n.done, n.failed, n.arrived, k.errors
      from named n left join named_kinds k using (type, name)
     order by at, failed desc, done desc, type, name`;
}

/** More than there are kinds of error. The planner would count with a hundred. */
const kindsMax = 20;

const kindsOf = (errors: RawBuilder<unknown>) =>
  sql`(select key, value from jsonb_each_text(${errors}) limit ${kindsMax}::int)`;
