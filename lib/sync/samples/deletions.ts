import { type RawBuilder, sql } from 'kysely';
import { keptHours, slotSeconds, spanSeconds } from './slots.ts';

/** Slots that a sample deletes at most, so that a day that ended at once is deleted in steps. Of spans, as many. */
const deletedMax = 100;

/** The begin of so many seconds is so long ago that all of their samples are older than samples are kept. */
const isOver = (seconds: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`s.slot <= now() - ${keptHours}::int * interval '1 hour' - make_interval(secs => ${seconds} - ${slotSeconds}::int)`;

/** The oldest so many slots or spans of a table, found along its index of slots. */
const isAmongOldest = (table: RawBuilder<unknown>, seconds: number): RawBuilder<unknown> =>
  sql`s.slot < (select min(slot) from ${table}) + make_interval(secs => ${deletedMax * seconds}::int)`;

/** Parts of the statement that takes a sample: they delete what is older than a day, if the sample is taken. */
export const deletions = sql`
  ended as materialized (
    select slot from sync_sample_slots s where ${isOver(sql`${slotSeconds}::int`)} and exists (select from slot)
     order by slot limit ${deletedMax}::int
  ),
  deleted as (delete from sync_samples s using ended e where s.slot = e.slot),
  deleted_slots as (delete from sync_sample_slots s using ended e where s.slot = e.slot),
  deleted_spans as (
    delete from sync_sample_spans s
     where ${isOver(sql`${spanSeconds}::int`)} and ${isAmongOldest(sql`sync_sample_spans`, spanSeconds)} and exists (select from slot)
  ),
  deleted_sums as (
    delete from sync_sample_sums s
     where ${isOver(sql`s.seconds`)} and ${isAmongOldest(sql`sync_sample_sums`, slotSeconds)} and exists (select from slot)
  )`;
