import { type RawBuilder, sql } from 'kysely';
import { ofName, ofPlaces, ofSingle, ofType, ofTypes, type Places, type SampleRange } from './places.ts';
import { beginOfSpan, slotSeconds, spanSeconds } from './slots.ts';

/** Steps of whole spans need only what is kept of spans. */
const unitOf = (stepSeconds: number): number => (stepSeconds % spanSeconds === 0 ? spanSeconds : slotSeconds);

const tableOf = (unit: number) => sql.table(unit === spanSeconds ? 'sync_sample_spans' : 'sync_samples');

/**
 * The samples of a range, or its spans, by type: rows of `slot`, `type`, the numbers, and `errors` that so many `times` were the same. A slot or
 * span and a type may have several. Of a type that counts as a whole, its sums are read; the rows of single destinations only where other
 * destinations of the type do not count, or a sweep of an earlier release made no sums.
 */
export function samplesByType(range: SampleRange, stepSeconds: number, places: Places | undefined): RawBuilder<unknown> {
  const unit = unitOf(stepSeconds);
  const hasWhole = range.name === undefined && (places === undefined || places.types.length > 0);
  const hasSingle = range.name !== undefined || (places !== undefined && places.single.length > 0);
  const sources = [
    ...(hasWhole ? [sums(range, unit, places), unsummedRows(range, unit, places)] : []),
    ...(hasSingle || !hasWhole ? [singleRows(range, unit, places)] : []),
  ];
  return sql.join(sources, sql` union all `);
}

/** Slots of the range, or spans, of which not every sample is in the sums. */
export const unsummed = (range: SampleRange, stepSeconds: number): RawBuilder<unknown> => sql`
  select distinct ${beginOfSpan(sql`slot`, unitOf(stepSeconds))} as slot from sync_sample_slots
   where slot >= ${range.from} and slot < ${range.to} and not summed`;

const sums = (range: SampleRange, unit: number, places: Places | undefined) => sql`
  select s.slot, s.type, s.pending::bigint as pending, s.oldest_seconds, s.done::bigint as done, s.failed::bigint as failed,
         s.arrived::bigint as arrived, ${errors} as errors, 1::bigint as times
    from sync_sample_sums s
   where s.namespace_id = ${range.namespaceId} and s.seconds = ${unit}::int and s.slot >= ${range.from} and s.slot < ${range.to}
     and ${ofType(range)} and ${ofTypes(places)} and not exists (select from unsummed u where u.slot = s.slot)`;

/** Each slot costs a look into the index: nearly always there is none. */
const unsummedRows = (range: SampleRange, unit: number, places: Places | undefined) => sql`
  select u.slot, s.*
    from unsummed u
   cross join lateral (
     select s.type, ${numbers}, ${errors} as errors, count(*) as times from ${tableOf(unit)} s
      where s.namespace_id = ${range.namespaceId} and s.slot = u.slot and ${ofType(range)} and ${ofTypes(places)}
      group by s.type, ${errors}) s`;

/** Errors that are alike are counted, before they are taken apart. */
const singleRows = (range: SampleRange, unit: number, places: Places | undefined) => sql`
  select s.slot, s.type, ${numbers}, ${errors} as errors, count(*) as times from ${tableOf(unit)} s
   where s.namespace_id = ${range.namespaceId} and s.slot >= ${range.from} and s.slot < ${range.to} and ${ofType(range)}
     and ${ofName(range)} and ${range.name === undefined && places !== undefined ? ofSingle(places) : ofPlaces(places)}
   group by s.slot, s.type, ${errors}`;

const errors = sql`case when s.failed > 0 then s.errors end`;

const numbers = sql`
  sum(s.pending) as pending, max(s.oldest_seconds) as oldest_seconds, sum(s.done) as done, sum(s.failed) as failed, sum(s.arrived) as arrived`;

/**
 * The samples of a range by destination, for sums over all of it: rows of `type`, `name`, the numbers, with the greatest of `pending`, and
 * `errors` that so many `times` were the same. Whole spans of the range are read as such.
 */
export function samplesByDestination(range: SampleRange, places: Places | undefined): RawBuilder<unknown> {
  const { from, to } = range;
  const begin = new Date(Math.min(to.getTime(), Math.ceil(from.getTime() / spanMs) * spanMs));
  const end = new Date(Math.max(begin.getTime(), Math.floor(to.getTime() / spanMs) * spanMs));
  const parts = [
    [slotSeconds, from, begin],
    [spanSeconds, begin, end],
    [slotSeconds, end, to],
  ] as const;
  const sources = parts.flatMap(([unit, from, to]) => (from < to ? [namedRows({ ...range, from, to }, unit, places)] : []));
  return sql`
    select s.type, s.name, max(s.pending) as pending, max(s.oldest_seconds) as oldest_seconds, sum(s.done) as done,
           sum(s.failed) as failed, sum(s.arrived) as arrived, s.errors, count(*) as times
      from (${sql.join(sources, sql` union all `)}) s
     group by s.type, s.name, s.errors`;
}

const spanMs = spanSeconds * 1_000;

const namedRows = (range: SampleRange, unit: number, places: Places | undefined) => sql`
  select s.type, s.name, s.pending, s.oldest_seconds, s.done, s.failed, s.arrived, ${errors} as errors from ${tableOf(unit)} s
   where s.namespace_id = ${range.namespaceId} and s.slot >= ${range.from} and s.slot < ${range.to} and s.name <> ''
     and ${ofType(range)} and ${ofName(range)} and ${ofPlaces(places)}`;
