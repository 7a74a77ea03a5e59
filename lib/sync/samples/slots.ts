import { type RawBuilder, sql } from 'kysely';

/** One sample is taken in each slot of so many seconds. */
export const slotSeconds = 10;
/** The samples of so many seconds are also kept as one row for each destination, from which long ranges are read. */
export const spanSeconds = 300;
/** The sums of a destination over a long range are read from rows of so many seconds. */
export const hourSeconds = 3_600;
/** How long samples are kept. */
export const keptHours = 24;

/** The begin of the span of so many seconds that has the time. Spans are counted from the epoch, so those of a day are the same for all. */
export const beginOfSpan = (time: RawBuilder<unknown>, seconds: number | RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`date_bin(make_interval(secs => ${seconds}::int), ${time}, 'epoch'::timestamptz)`;
