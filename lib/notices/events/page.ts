import { sql } from 'kysely';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { eventColumns, type SyncEvent } from './event.ts';

/** Days for which events are kept, and at most how many of a namespace. */
export const keptDays = 7;
export const keptMax = 10_000;

/** The events of a namespace after a number, in their order. */
export async function eventsAfter(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  after: string,
  limit: number,
): Promise<readonly SyncEvent[]> {
  const { rows } = await rowsOf(eventColumns)`
    select id, occurred_at, kind, type, name, details from sync_events
     where namespace_id = ${namespaceId} and id > ${after}::bigint
     order by namespace_id, id limit ${limit}::int`.execute(db);
  return rows;
}

/** Deletes events that are older than they are kept, at most so many. */
export async function pruneEvents({ db }: Pick<Store, 'db'>, countMax: number): Promise<void> {
  await sql`
    delete from sync_events where (namespace_id, id) in (
      select namespace_id, id from sync_events
       where occurred_at < now() - make_interval(days => ${keptDays}) order by occurred_at limit ${countMax}::int
         for update skip locked)`.execute(db);
}
