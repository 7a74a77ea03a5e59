import { type RawBuilder, sql } from 'kysely';
import { ofName, ofPlaces, ofType, type Places, type SampleRange } from './places.ts';
import { hourSeconds, spanSeconds } from './slots.ts';
import { errors, inRange, unsummed } from './sources.ts';

/**
 * The samples of a range by destination, for sums over all of it: rows of `type`, `name`, the numbers, with the greatest of `pending`, and
 * `errors` that so many `times` were the same. Whole hours of the range are read as such, then whole spans, and slots at its ends. The spans
 * of an hour are read instead when a sweep of an earlier release took one of its samples.
 */
export function samplesByDestination(range: SampleRange, places: Places | undefined): RawBuilder<unknown> {
  const { from, to } = range;
  const [span, lastSpan] = wholeOf(from, to, spanSeconds);
  const [hour, lastHour] = wholeOf(span, lastSpan, hourSeconds);
  const hours = { ...range, from: hour, to: lastHour };
  const sources = [
    rows(sql`sync_samples s`, { ...range, to: span }, places),
    rows(sql`sync_sample_spans s`, { ...range, from: span, to: hour }, places),
    rows(
      sql`sync_sample_sums s`,
      hours,
      places,
      sql`s.seconds = ${hourSeconds}::int and s.slot not in ${unsummed(hours, hourSeconds)}`,
    ),
    rows(sql`${unsummed(hours, hourSeconds)} u cross join lateral ${spansOfHour(range)} s`, hours, places),
    rows(sql`sync_sample_spans s`, { ...range, from: lastHour, to: lastSpan }, places),
    rows(sql`sync_samples s`, { ...range, from: lastSpan }, places),
  ];
  const some = sources.flat();
  return sql`
    select s.type, s.name, max(s.pending)::float8 as pending, max(s.oldest_seconds) as oldest_seconds, sum(s.done)::float8 as done,
           sum(s.failed)::float8 as failed, sum(s.arrived)::float8 as arrived, s.errors, count(*)::float8 as times
      from (${sql.join(some, sql` union all `)}) s
     group by s.type, s.name, s.errors`;
}

/** None if the range is empty. */
const rows = (table: RawBuilder<unknown>, range: SampleRange, places: Places | undefined, only = sql`true`) =>
  range.from >= range.to
    ? []
    : [
        sql`
  select s.type, s.name, s.pending, s.oldest_seconds, s.done, s.failed, s.arrived, ${errors} as errors from ${table}
   where ${inRange(range)} and ${only} and s.name <> '' and ${ofType(range)} and ${ofName(range)} and ${ofPlaces(places)}`,
      ];

/** The limit keeps it a look into the index for each hour. */
const spansOfHour = ({ namespaceId }: SampleRange) => sql`(
  select * from sync_sample_spans s
   where s.namespace_id = ${namespaceId} and s.slot >= u.slot and s.slot < u.slot + ${hourSeconds}::int * interval '1 s' offset 0)`;

/** The whole multiples of so many seconds in a range; an empty range within it when there are none. */
function wholeOf(from: Date, to: Date, seconds: number): readonly [Date, Date] {
  const ms = seconds * 1_000;
  const begin = Math.min(to.getTime(), Math.ceil(from.getTime() / ms) * ms);
  return [new Date(begin), new Date(Math.max(begin, Math.floor(to.getTime() / ms) * ms))];
}
