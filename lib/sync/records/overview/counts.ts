import { pick, type RowOf } from '#store/sql/columns.ts';
import { bigintText, int, nullable, text, timestamptz } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { destinationsTable } from '#store/tables/sync.ts';
import { isRemnant, type SyncStatus, toStatus } from '../../model/status.ts';

/** The numbers of the associations of a destination. */
export interface AssociationNumbers {
  readonly counts: ReadonlyMap<SyncStatus, number>;
  /** How many associations have an error of this kind. */
  readonly errors: ReadonlyMap<string, number>;
  /** Since when its oldest change waits to be synced; null when none does. */
  readonly pendingSince: Date | null;
  /** How many associations have objects that a look found to differ from what the sync left. */
  readonly drifted: number;
}

/** A destination with the numbers of its associations. */
export interface CountedDestination extends RowOf<typeof destinationRowColumns>, AssociationNumbers {}

const destinationRowColumns = {
  id: bigintText,
  ...pick(destinationsTable, 'type', 'name', 'created_at', 'updated_at', 'purge_initiated_at', 'purge_error'),
  /** Since when its associations are being marked after a change of it. */
  marking_since: nullable(timestamptz),
};

/** An overview shows at most this many destinations. */
export const overviewMax = 10_000;

/** The destinations of a namespace by type and name, at most one more than an overview shows, with their counts. Two statements. */
export async function countedDestinations(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
): Promise<readonly CountedDestination[]> {
  const { rows } = await rowsOf(destinationRowColumns)`
    select d.id, d.type, d.name, d.created_at, d.updated_at, d.purge_initiated_at, d.purge_error, m.began_at as marking_since
      from destinations d left join markings m on m.destination_id = d.id
     where d.namespace_id = ${namespaceId} order by d.type, d.name limit ${overviewMax + 1}::int`.execute(db);
  const counts = Map.groupBy(
    await countsOf(
      db,
      rows.map(({ id }) => id),
    ),
    ({ destination_id }) => destination_id,
  );
  return rows.map((row) => ({ ...row, ...summed(counts.get(row.id) ?? []) }));
}

/** The numbers of one destination. */
export const numbersOf = async ({ db }: Pick<Store, 'db'>, destinationId: string): Promise<AssociationNumbers> =>
  summed(await countsOf(db, [destinationId]));

/** In place of a status. */
const driftRow = 'drift';

const countColumns = {
  destination_id: bigintText,
  /** Null in the row of all associations of the destination. */
  status: nullable(text),
  kind: nullable(text),
  count: int,
  pending_since: nullable(timestamptz),
};

/**
 * Nearly all associations are SYNCED, and an index has the others. So these are read, and all are only counted, along the unique index. A
 * remnant has the status null, too, with a negative number: it is one of all, but is not shown.
 */
async function countsOf(db: Store['db'], ids: readonly string[]): Promise<readonly RowOf<typeof countColumns>[]> {
  if (ids.length === 0) return [];
  const { rows } = await rowsOf(countColumns)`
    select destination_id, null::text as status, null::text as kind, count(*)::int as count, null::timestamptz as pending_since
      from associations where destination_id = any(${ids}::bigint[]) group by destination_id
     union all
    select destination_id, status, kind, case when status is null then -count(*) else count(*) end::int, min(pending_since)
      from (
        select destination_id, case when not ${isRemnant('a')} then status end as status,
               case when status <> 'PENDING' or attempts > 0 then error ->> 'kind' end as kind,
               case when generation > observed_generation then dirty_since end as pending_since
          from associations a where destination_id = any(${ids}::bigint[]) and status <> 'SYNCED') others
     group by destination_id, status, kind
     union all
    select destination_id, ${driftRow} as status, null as kind, count(*)::int, null
      from associations a where destination_id = any(${ids}::bigint[]) and drift is not null and not ${isRemnant('a')}
     group by destination_id`.execute(db);
  return rows;
}

function summed(rows: readonly RowOf<typeof countColumns>[]): AssociationNumbers {
  const counts = new Map<SyncStatus, number>();
  const errors = new Map<string, number>();
  let [synced, drifted, pendingSince] = [0, 0, null as Date | null];
  for (const { status, kind, count, pending_since } of rows) {
    if (status === driftRow) {
      drifted += count;
      continue;
    }
    synced += status === null ? count : -count;
    if (status === null) continue;
    add(counts, toStatus(status), count);
    if (kind !== null) add(errors, kind, count);
    if (pending_since !== null && (pendingSince === null || pending_since < pendingSince)) pendingSince = pending_since;
  }
  if (synced > 0) add(counts, 'SYNCED', synced);
  return { counts, errors, pendingSince, drifted };
}

/** Adds to the number of a key. */
export const add = <Key>(counts: Map<Key, number>, key: Key, count: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + count);
};
