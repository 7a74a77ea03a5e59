import { sql } from 'kysely';
import { pageRowsOf, rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { isRemnant } from '../model/status.ts';
import type { RecordPlace } from './cursor.ts';
import type { ListedDestination } from './destinations.ts';
import type { RecordFilter } from './filter.ts';
import { asMarked, type ListedRecord, listedRecordColumns, selectRecord } from './record.ts';
import { recordSource } from './source.ts';

export interface RecordPage {
  readonly records: readonly ListedRecord[];
  /** The last record of the page when more follow. */
  readonly next: RecordPlace | undefined;
  /** How many records match, counted up to `countedMax`. */
  readonly total: number;
  /** There are more than `total`. */
  readonly totalAtLeast: boolean;
}

export interface PageRequest {
  /** Where to look: sorted by type and name. */
  readonly destinations: readonly ListedDestination[];
  readonly filter: RecordFilter;
  readonly limit: number;
  readonly after: RecordPlace | undefined;
}

/** Up to this many matching records are counted exactly. */
const countedMax = 10_000;

/** A page of the records of these destinations, in the order of destinations, mounts and secrets. One statement. */
export async function recordPage({ db }: Pick<Store, 'db'>, request: PageRequest): Promise<RecordPage> {
  const { limit } = request;
  const { rows } = await pageStatement(request).execute(db);
  const total = rows[0]?.total ?? 0;
  const found = rows.flatMap(({ total: _total, ...row }) => (row.id === null ? [] : [row]));
  const records = found.slice(0, limit).map(asMarked);
  return {
    records,
    next: found.length > limit ? lastOf(records) : undefined,
    total: Math.min(total, countedMax),
    totalAtLeast: total > countedMax,
  };
}

const lastOf = (records: readonly ListedRecord[]): RecordPlace | undefined => {
  const last = records.at(-1);
  return last && placeOf(last);
};

/** The place of a record in the lists. */
export const placeOf = (record: ListedRecord): RecordPlace => ({
  type: record.type,
  name: record.destination_name,
  mountId: record.mount_id,
  secretName: record.secret_name,
});

/**
 * The nested loops of a lateral join keep the order of the destinations, and stop as soon as the limit is reached. `n` puts the page into this
 * order whatever the plan is.
 */
function pageStatement({ destinations, filter, limit, after }: PageRequest) {
  const ids = destinations.map(({ id }) => id);
  const rest = destinations.filter((one) => after === undefined || !isBefore(one, after));
  const begun = rest.map((one) => (after?.type === one.type && after.name === one.name ? after : beginning));
  return pageRowsOf(listedRecordColumns)`
    with page as materialized (
      select d.n, a.id, a.mount_id, a.secret_name
        from unnest(${rest.map(({ id }) => id)}::bigint[], ${begun.map(({ mountId }) => mountId)}::uuid[],
                    ${begun.map(({ secretName }) => secretName)}::text[])
          with ordinality as d (id, after_mount, after_secret, n)
       cross join lateral (${recordSource(filter, limit + 1)}) a
       limit ${limit + 1}::int
    ),
    counted as (${isCounted(filter) ? sumOf(ids, filter) : after === undefined ? firstCounted(ids, filter, limit) : countOf(ids, filter)})
    select shown.*, counted.total
      from counted left join lateral (
        select ${selectRecord}
          from page join associations a on a.id = page.id join destinations d on d.id = a.destination_id
         order by page.n, page.mount_id, page.secret_name) shown on true`;
}

/** Whether the counts that triggers keep (docs/decisions/0031-counts-by-triggers.md) tell how many associations match. */
const isCounted = ({ type: _type, name: _name, statuses: _statuses, ...others }: RecordFilter): boolean =>
  Object.values(others).every((one) => one === undefined);

const sumOf = (ids: readonly string[], { statuses }: RecordFilter) => sql`
  select coalesce(sum(associations), 0)::int as total from association_counts
   where destination_id = any(${ids}::bigint[]) and ${statuses ? sql`status = any(${statuses}::text[])` : sql`true`}`;

/** A first page that is also the last has all that match, so they are not looked for twice. */
const firstCounted = (ids: readonly string[], filter: RecordFilter, limit: number) => sql`
  select case when found.count <= ${limit}::int then found.count else (${countOf(ids, filter)}) end as total
    from (select count(*)::int as count from page) found`;

const countOf = (ids: readonly string[], filter: RecordFilter) => sql`
  select count(*)::int as total from (
    select 1 from unnest(${ids}::bigint[]) d0 (id)
     cross join lateral (select d0.id, ${beginning.mountId}::uuid as after_mount, ''::text as after_secret) d
     cross join lateral (${recordSource(filter, countedMax + 1)}) a
     limit ${countedMax + 1}::int) one`;

const beginning = { mountId: '00000000-0000-0000-0000-000000000000', secretName: '' };

const isBefore = (one: ListedDestination, { type, name }: RecordPlace): boolean =>
  one.type < type || (one.type === type && one.name < name);

/** One record of a namespace. */
export async function oneRecord(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  id: string,
): Promise<ListedRecord | undefined> {
  const { rows } = await rowsOf(listedRecordColumns)`
    select ${selectRecord} from associations a join destinations d on d.id = a.destination_id
     where a.id = ${id}::bigint and d.namespace_id = ${namespaceId} and not ${isRemnant('a')}`.execute(db);
  return rows[0] && asMarked(rows[0]);
}
