import { type RawBuilder, sql } from 'kysely';
import type { RowOf } from '#store/sql/columns.ts';
import { bigintText, bool, int, nullable, text, timestamptz } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { unmarkedSince } from '../marking/begin.ts';

type Reads = Pick<Store, 'db'>;

/** An object that we wrote. */
export type OwnObject = RowOf<typeof objectColumns>;

const objectColumns = {
  association_id: bigintText,
  generation: int,
  name_key: text,
  external_name: text,
  mark: text,
  remote_version: nullable(text),
  written_at: timestamptz,
  /** False while its association is not in line or was pushed a moment ago: a difference would say nothing. */
  judged: bool,
};

/** The association `a` is in line, and no call of ours is or may be in flight. */
const isCalm = sql`(
  a.desired = 'present' and a.status = 'SYNCED' and a.generation = a.observed_generation and a.unconfirmed_at is null
  and coalesce(a.claimed_until <= now(), true) and ${unmarkedSince('a')} is null)`;

const selectObject = (settleMs: number): RawBuilder<unknown> => sql`
  o.association_id::text as association_id, a.generation, o.name_key, o.external_name, o.mark, o.remote_version, o.written_at,
  ${isCalm} and o.fingerprint is not null and o.written_at < now() - ${settleMs}::int * interval '1 millisecond' as judged`;

const isThere = sql`o.written_at is not null and o.removed_at is null`;

/** Our objects among these names. */
export async function objectsNamed(
  { db }: Reads,
  destinationId: string,
  nameKeys: readonly string[],
  settleMs: number,
): Promise<readonly OwnObject[]> {
  const { rows } = await rowsOf(objectColumns)`
    select ${selectObject(settleMs)}
      from sync_objects o join associations a on a.id = o.association_id
     where o.destination_id = ${destinationId}::bigint and o.name_key = any(${nameKeys}::text[]) and ${isThere}`.execute(
    db,
  );
  return rows;
}

/** Rows that one statement reads, and objects of them that it returns. */
const readMax = 2_000;
const returnedMax = 25;

/** The next of our objects that the pages of this look did not show. `last`: continue after it; null when there are no more. */
export async function objectsLeft(
  { db }: Reads,
  destinationId: string,
  after: string,
  settleMs: number,
): Promise<{ readonly objects: readonly OwnObject[]; readonly last: string | null }> {
  const { rows } = await rowsOf({ last: nullable(text), read: int, left: int })`
    with page as materialized (${pageOf(destinationId, after)})
    select max(name_key collate "C") as last, count(*)::int as read, count(*) filter (where is_left)::int as left
      from page`.execute(db);
  const [page] = rows;
  if (page === undefined || page.read === 0) return { objects: [], last: null };
  const objects = page.left === 0 ? [] : await leftOf({ db }, destinationId, after, settleMs);
  if (objects.length === returnedMax) return { objects, last: objects.at(-1)?.name_key ?? null };
  return { objects, last: page.read < readMax ? null : page.last };
}

async function leftOf({ db }: Reads, destinationId: string, after: string, settleMs: number) {
  const { rows } = await rowsOf(objectColumns)`
    with page as materialized (${pageOf(destinationId, after)})
    select ${selectObject(settleMs)}
      from (select * from page where is_left order by name_key limit ${returnedMax}::int) p
      join sync_objects o on o.destination_id = ${destinationId}::bigint and o.name_key = p.name_key
      join associations a on a.id = o.association_id
     order by o.name_key`.execute(db);
  return rows;
}

const pageOf = (destinationId: string, after: string): RawBuilder<unknown> => sql`
  select o.name_key, ${isThere} and coalesce(o.looked_at < s.began_at, true) as is_left
    from sync_objects o join destination_drift s on s.destination_id = o.destination_id
   where o.destination_id = ${destinationId}::bigint and o.name_key > ${after}
   order by o.name_key limit ${readMax}::int`;

/** Objects of a destination that are counted at most. */
const countedMax = 1_000_000;

/** How many objects we have there, and with which text all of their names begin. */
export async function extentOf({ db }: Reads, destinationId: string) {
  const { rows } = await rowsOf({ count: int, first: nullable(text), last: nullable(text) })`
    select (select count(*)::int from (
              select 1 from sync_objects o where o.destination_id = ${destinationId}::bigint limit ${countedMax}::int) counted) as count,
           min(name_key) as first, max(name_key) as last
      from sync_objects where destination_id = ${destinationId}::bigint`.execute(db);
  const { count, first, last } = rows[0] ?? { count: 0, first: null, last: null };
  return { count, prefix: commonStart(first ?? '', last ?? '') };
}

/** Of the first and the last of sorted texts, and so of all of them. */
export function commonStart(first: string, last: string): string {
  let length = 0;
  while (length < first.length && first[length] === last[length]) length += 1;
  return first.slice(0, length);
}
