import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { RowOf } from '#store/sql/columns.ts';
import { float, jsonOf, nullable, text, timestamptz } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { destinationsMax } from '../records/destinations.ts';
import { beginOfSpan } from './slots.ts';

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
  /** How many samples a step has. */
  samples: float,
  /** Of the queue of all namespaces, the greatest of the step. */
  queued: nullable(float),
  capacity: nullable(float),
  /** The greatest of the step. */
  pending: float,
  oldest_seconds: nullable(float),
  done: float,
  failed: float,
  errors: nullable(jsonOf(z.record(z.string(), z.number()))),
};

/**
 * The samples of a range in steps, and the sums of types and destinations over all of it. A step without a sample has no row. One
 * statement, whose sums by slot go along the primary key; errors that are alike are counted before they are taken apart.
 * @param places those that count; undefined: all
 */
export async function readSamples(
  { db }: Pick<Store, 'db'>,
  range: SampleRange,
  stepSeconds: number,
  places: readonly Place[] | undefined,
): Promise<readonly SampleRow[]> {
  const step = (slot: RawBuilder<unknown>) => beginOfSpan(slot, stepSeconds);
  const selected = sql`${inRange(range)} ${ofPlaces(places)}`;
  const { rows } = await rowsOf(sampleColumns)`
    with typed as materialized (
      select s.slot, s.type, sum(s.pending) as pending, max(s.oldest_seconds) as oldest_seconds, sum(s.done) as done,
             sum(s.failed) as failed
        from sync_samples s where ${selected} group by s.slot, s.type
    ),
    slots as (
      select t.slot, max(t.pending) as queued, max(t.capacity) as capacity, coalesce(sum(s.pending), 0) as pending,
             max(s.oldest_seconds) as oldest_seconds, coalesce(sum(s.done), 0) as done, coalesce(sum(s.failed), 0) as failed
        from sync_sample_slots t left join typed s on s.slot = t.slot
       where t.slot >= ${range.from} and t.slot < ${range.to} group by t.slot
    ),
    named as (
      select s.type, s.name, max(s.pending) as pending, max(s.oldest_seconds) as oldest_seconds, sum(s.done) as done,
             sum(s.failed) as failed
        from sync_samples s where ${selected} and s.name <> '' group by s.type, s.name
       order by sum(s.failed) desc, sum(s.done) desc, s.type, s.name limit ${summedMax}::int
    ),
    alike as (
      select ${step(sql`s.slot`)} as at, s.type, s.name, s.errors, count(*) as times
        from sync_samples s where ${selected} and s.failed > 0 group by 1, s.type, s.name, s.errors
    ),
    kinds as (
      select at, type, name, jsonb_object_agg(kind, count) as errors
        from (select s.at, s.type, s.name, e.key as kind, sum(e.value::int * s.times) as count
                from alike s cross join lateral jsonb_each_text(s.errors) e
               group by grouping sets ((s.at, e.key), (s.type, e.key), (s.type, s.name, e.key))) one
       group by at, type, name
    ),
    sums as (
      select ${step(sql`slot`)} as at, null::text as type, null::text as name, count(*) as samples, max(queued) as queued,
             max(capacity) as capacity, max(pending) as pending, max(oldest_seconds) as oldest_seconds, sum(done) as done,
             sum(failed) as failed
        from slots group by 1
      union all
      select null, type, null, count(*), null, null, max(pending), max(oldest_seconds), sum(done), sum(failed) from typed group by type
      union all
      select null, type, name, 0, null, null, pending, oldest_seconds, done, failed from named
    )
    select s.at, s.type, s.name, s.samples::float8 as samples, s.queued::float8 as queued, s.capacity::float8 as capacity,
           s.pending::float8 as pending, s.oldest_seconds, s.done::float8 as done, s.failed::float8 as failed, k.errors
      from sums s
      left join kinds k on coalesce(k.at, 'epoch') = coalesce(s.at, 'epoch') and coalesce(k.type, '') = coalesce(s.type, '')
       and k.name is not distinct from s.name
     order by s.at, s.failed desc, s.done desc, s.type, s.name`.execute(db);
  return rows;
}

/**
 * The destinations of the namespace, and those of its samples, which may be deleted. At most one more than lists look at.
 */
export async function sampledPlaces({ db }: Pick<Store, 'db'>, range: SampleRange): Promise<readonly Place[]> {
  const { rows } = await rowsOf({ type: text, name: text })`
    select type, name from destinations d where namespace_id = ${range.namespaceId} and ${ofType(sql`d`, range)}
     union
    select type, name from sync_samples s where ${inRange(range)} and name <> ''
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
