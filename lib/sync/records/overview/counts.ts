import { type RawBuilder, sql } from 'kysely';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { bigintText, bool, int, nullable, text, timestamptz } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { destinationsTable } from '#store/tables/sync.ts';
import { isPaused } from '../../model/pause.ts';
import { isRemnant, type SyncStatus, toStatus } from '../../model/status.ts';
import { ofDestination } from '../condition.ts';
import type { RecordFilter } from '../filter.ts';

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
  /** Whether it is paused now, and when that ends by itself; null for a pause without an end. */
  disabled: bool,
  disabled_until: nullable(timestamptz),
  /** Since when its associations are being marked after a change of it. */
  marking_since: nullable(timestamptz),
};

/** An overview shows at most this many destinations. */
export const overviewMax = 10_000;

/** Which destinations are counted. An absent member narrows nothing. */
export interface DestinationFilter extends Pick<RecordFilter, 'type' | 'name'> {
  /** A part of the name, in lower case. */
  readonly find?: string | undefined;
  /** Only those after this one, by type and name. */
  readonly after?: Pick<CountedDestination, 'type' | 'name'> | undefined;
}

/** The destinations of a namespace by type and name, at most one more than an overview shows, with their counts. Two statements. */
export async function countedDestinations(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  { find, after, ...exact }: DestinationFilter = {},
): Promise<readonly CountedDestination[]> {
  const { rows } = await rowsOf(destinationRowColumns)`
    select d.id, d.type, d.name, d.created_at, d.updated_at, d.purge_initiated_at, d.purge_error, ${isPaused('d')} as disabled,
           case when ${isPaused('d')} then d.disabled_until end as disabled_until, m.began_at as marking_since
      from destinations d left join markings m on m.destination_id = d.id
     where d.namespace_id = ${namespaceId} and ${ofDestination(exact)}
       and ${find === undefined ? sql`true` : sql`position(${find} in lower(d.name)) > 0`}
       and ${after === undefined ? sql`true` : sql`(d.type, d.name) > (${after.type}, ${after.name})`}
     order by d.type, d.name limit ${overviewMax + 1}::int`.execute(db);
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

const countColumns = {
  destination_id: bigintText,
  /** Null in the row with the oldest change of the destination. */
  status: nullable(text),
  kind: text,
  count: int,
  drifted: int,
  pending_since: nullable(timestamptz),
};

/**
 * Sums up what triggers have counted (docs/decisions/0031-counts-by-triggers.md), and looks for the oldest change of the destinations that
 * have one. The cost does not depend on the number of associations.
 */
async function countsOf(db: Store['db'], ids: readonly string[]): Promise<readonly RowOf<typeof countColumns>[]> {
  if (ids.length === 0) return [];
  const { rows } = await countsStatement(ids).execute(db);
  return rows;
}

/** One row for each status and kind of error, and one with the oldest change, of each of these destinations. */
export const countsStatement = (ids: readonly string[]) => rowsOf(countColumns)`
  with counted as materialized (
    select destination_id, status, kind, sum(associations)::int as count, sum(dirty) as dirty, sum(drifted)::int as drifted
      from association_counts where destination_id = any(${ids}::bigint[]) group by destination_id, status, kind
  )
  select destination_id, status, kind, count, drifted, null::timestamptz as pending_since from counted where count > 0
   union all
  select d.destination_id, null, '', 0, 0, ${oldestOf(sql`d.destination_id`)}
    from counted d where d.dirty > 0 group by d.destination_id`;

/** Since when the oldest change of a destination waits. Remnants are looked at again, but have no change. */
export const oldestOf = (destinationId: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  select dirty_since from associations a
   where a.destination_id = ${destinationId} and generation > observed_generation and status <> 'SYNCED' and dirty_since is not null
     and not ${isRemnant('a')}
   order by dirty_since limit 1)`;

function summed(rows: readonly RowOf<typeof countColumns>[]): AssociationNumbers {
  const counts = new Map<SyncStatus, number>();
  const errors = new Map<string, number>();
  let [drifted, pendingSince] = [0, null as Date | null];
  for (const { status, kind, count, drifted: some, pending_since } of rows) {
    if (status === null) {
      pendingSince = pending_since;
      continue;
    }
    add(counts, toStatus(status), count);
    if (kind !== '') add(errors, kind, count);
    drifted += some;
  }
  return { counts, errors, pendingSince, drifted };
}

/** Adds to the number of a key. */
export const add = <Key>(counts: Map<Key, number>, key: Key, count: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + count);
};
