import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { RowOf } from '#store/sql/columns.ts';
import { float, jsonOf, nullable, text, timestamptz } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { destinationsMax } from '../records/destinations.ts';
import { beginOfSpan, spanSeconds } from './slots.ts';

/** A type and a name. */
export interface Place {
  readonly type: string;
  /** Empty: the destinations of the type that the samples do not name. */
  readonly name: string;
}

export interface SampleRange {
  readonly namespaceId: string;
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly type: string | undefined;
  readonly name: string | undefined;
}

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
  /** The greatest of the step; of a step of spans, the sum of the greatest of each destination. */
  pending: float,
  oldest_seconds: nullable(float),
  done: float,
  failed: float,
  errors: nullable(jsonOf(z.record(z.string(), z.number()))),
};

/**
 * The samples of a range in steps, and the sums of types and destinations over all of it. A step without a sample has no row. One
 * statement, which goes through the samples once: all else is computed from the sums of each time and of each destination. Errors
 * that are alike are counted before they are taken apart.
 * @param places those that count; undefined: all
 */
export async function readSamples(
  { db }: Pick<Store, 'db'>,
  range: SampleRange,
  stepSeconds: number,
  places: readonly Place[] | undefined,
): Promise<readonly SampleRow[]> {
  const { rows } = await samplesStatement(range, stepSeconds, places).execute(db);
  return rows;
}

function samplesStatement(range: SampleRange, stepSeconds: number, places: readonly Place[] | undefined) {
  const step = (slot: RawBuilder<unknown>) => beginOfSpan(slot, stepSeconds);
  return rowsOf(sampleColumns)`
    with chosen as materialized (
      select slot, type, name, errors, sum(pending) as pending, max(pending) as most, max(oldest_seconds) as oldest_seconds,
             sum(done) as done, sum(failed) as failed, count(*) as times
        from (select s.slot, s.type, s.name, s.pending, s.oldest_seconds, s.done, s.failed, case when s.failed > 0 then s.errors end as errors
                from ${samplesFor(stepSeconds)} s where ${inRange(range)} ${ofPlaces(places)}) one
       group by grouping sets ((slot, type, errors), (type, name, errors))
    ),
    typed as materialized (
      select slot, type, sum(pending) as pending, max(oldest_seconds) as oldest_seconds, sum(done) as done, sum(failed) as failed
        from chosen where slot is not null group by slot, type
    ),
    queue as (
      select ${step(sql`slot`)} as at, count(*) as samples, max(pending) as queued, max(capacity) as capacity
        from sync_sample_slots where slot >= ${range.from} and slot < ${range.to} group by 1
    ),
    points as (
      select ${step(sql`slot`)} as at, max(pending) as pending, max(oldest_seconds) as oldest_seconds, sum(done) as done,
             sum(failed) as failed
        from (select slot, sum(pending) as pending, max(oldest_seconds) as oldest_seconds, sum(done) as done, sum(failed) as failed
                from typed group by slot) one
       group by 1
    ),
    named as (
      select type, name, max(most) as pending, max(oldest_seconds) as oldest_seconds, sum(done) as done, sum(failed) as failed
        from chosen where name <> '' group by type, name
       order by sum(failed) desc, sum(done) desc, type, name limit ${summedMax}::int
    ),
    kinds as (
      select at, type, null as name, jsonb_object_agg(kind, count) as errors
        from (select o.at, o.type, e.key as kind, sum(e.value::int * o.times) as count
                from (select ${step(sql`slot`)} as at, type, errors, sum(times) as times
                        from chosen where slot is not null and errors is not null group by 1, type, errors) o
               cross join lateral ${kindsOf(sql`o.errors`)} e
               group by grouping sets ((o.at, e.key), (o.type, e.key))) one
       group by at, type
      union all
      select null, type, name, jsonb_object_agg(kind, count)
        from (select o.type, o.name, e.key as kind, sum(e.value::int * o.times) as count
                from (select type, name, errors, times from chosen where name <> '' and errors is not null) o
               cross join lateral ${kindsOf(sql`o.errors`)} e
               group by o.type, o.name, e.key) one
       group by type, name
    ),
    sums as (
      select at, null::text as type, null::text as name, samples, queued, capacity, coalesce(pending, 0) as pending,
             oldest_seconds, coalesce(done, 0) as done, coalesce(failed, 0) as failed
        from queue left join points using (at)
      union all
      select null, type, null, 0, null, null, max(pending), max(oldest_seconds), sum(done), sum(failed) from typed group by type
      union all
      select null, type, name, 0, null, null, pending, oldest_seconds, done, failed from named
    )
    select s.at, s.type, s.name, s.samples::float8 as samples, s.queued::float8 as queued, s.capacity::float8 as capacity,
           s.pending::float8 as pending, s.oldest_seconds, s.done::float8 as done, s.failed::float8 as failed, k.errors
      from sums s
      left join kinds k on coalesce(k.at, 'epoch') = coalesce(s.at, 'epoch') and coalesce(k.type, '') = coalesce(s.type, '')
       and coalesce(k.name, '') = coalesce(s.name, '')
     order by s.at, s.failed desc, s.done desc, s.type, s.name`;
}

/** More than there are kinds of error. The planner would count with a hundred. */
const kindsMax = 20;

const kindsOf = (errors: RawBuilder<unknown>) =>
  sql`(select key, value from jsonb_each_text(${errors}) limit ${kindsMax}::int)`;

/** Steps of whole spans need only the sums of spans. */
const samplesFor = (stepSeconds: number) =>
  sql.table(stepSeconds % spanSeconds === 0 ? 'sync_sample_spans' : 'sync_samples');

/**
 * The destinations of the namespace, and those of its samples, which may be deleted. At most one more than lists look at.
 */
export async function sampledPlaces(
  { db }: Pick<Store, 'db'>,
  range: SampleRange,
  stepSeconds: number,
): Promise<readonly Place[]> {
  const { rows } = await rowsOf({ type: text, name: text })`
    select type, name from destinations d where namespace_id = ${range.namespaceId} and ${ofType(sql`d`, range)}
     union
    select type, name from ${samplesFor(stepSeconds)} s where ${inRange(range)} and name <> ''
     limit ${destinationsMax + 1}::int`.execute(db);
  return rows;
}

const inRange = (range: SampleRange) => sql`
  s.namespace_id = ${range.namespaceId} and s.slot >= ${range.from} and s.slot < ${range.to} and ${ofType(sql`s`, range)}
  and (${range.name ?? null}::text is null or s.name = ${range.name ?? null})`;

const ofType = (table: RawBuilder<unknown>, { type }: SampleRange) =>
  sql`(${type ?? null}::text is null or ${table}.type = ${type ?? null})`;

const ofPlaces = (places: readonly Place[] | undefined) =>
  places === undefined
    ? sql``
    : sql`and (s.type, s.name) in (
        select * from unnest(${places.map(({ type }) => type)}::text[], ${places.map(({ name }) => name)}::text[]))`;
