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
export function samplesByType(
  range: SampleRange,
  stepSeconds: number,
  places: Places | undefined,
): RawBuilder<unknown> {
  const unit = unitOf(stepSeconds);
  const hasWhole = range.name === undefined && (places === undefined || places.types.length > 0);
  const hasSingle = range.name !== undefined || (places !== undefined && places.single.length > 0);
  const sources = [
    ...(hasWhole ? [sums(range, unit, places), unsummedRows(range, unit, places)] : []),
    ...(hasSingle || !hasWhole ? [singleRows(range, unit, places)] : []),
  ];
  return sql.join(sources, sql` union all `);
}

/** The times of the range, of so many seconds each, of which not every sample is in the sums. */
export const unsummed = ({ from, to }: Pick<SampleRange, 'from' | 'to'>, unit: number): RawBuilder<unknown> => sql`
  (select distinct ${beginOfSpan(sql`slot`, unit)} as slot from sync_sample_slots
    where slot >= ${from} and slot < ${to} and not summed)`;

const sums = (range: SampleRange, unit: number, places: Places | undefined) => sql`
  select s.slot, s.type, s.pending::float8 as pending, s.oldest_seconds, s.done::float8 as done, s.failed::float8 as failed,
         s.arrived::float8 as arrived, ${errors} as errors, 1::float8 as times
    from sync_sample_sums s
   where ${inRange(range)} and s.seconds = ${unit}::int and s.name = '' and ${ofType(range)} and ${ofTypes(places)}
     and s.slot not in ${unsummed(range, unit)}`;

/** Each slot costs a look into the index: nearly always there is none. */
const unsummedRows = (range: SampleRange, unit: number, places: Places | undefined) => sql`
  select u.slot, s.*
    from ${unsummed(range, unit)} u
   cross join lateral (
     select s.type, ${numbers}, ${errors} as errors, count(*)::float8 as times from ${tableOf(unit)} s
      where s.namespace_id = ${range.namespaceId} and s.slot = u.slot and ${ofType(range)} and ${ofTypes(places)}
      group by s.type, ${errors}) s`;

/** Errors that are alike are counted, before they are taken apart. */
const singleRows = (range: SampleRange, unit: number, places: Places | undefined) => sql`
  select s.slot, s.type, ${numbers}, ${errors} as errors, count(*)::float8 as times from ${tableOf(unit)} s
   where ${inRange(range)} and ${ofType(range)} and ${ofName(range)} and ${range.name === undefined && places !== undefined ? ofSingle(places) : ofPlaces(places)}
   group by s.slot, s.type, ${errors}`;

export const errors = sql`case when s.failed > 0 then s.errors end`;

export const inRange = ({ namespaceId, from, to }: SampleRange): RawBuilder<unknown> =>
  sql`s.namespace_id = ${namespaceId} and s.slot >= ${from} and s.slot < ${to}`;

/** Sums of float8 cost a fraction of those of bigint, which are numeric. */
const numbers = sql`
  sum(s.pending)::float8 as pending, max(s.oldest_seconds) as oldest_seconds, sum(s.done)::float8 as done,
  sum(s.failed)::float8 as failed, sum(s.arrived)::float8 as arrived`;
