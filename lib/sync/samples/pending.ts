import { sql } from 'kysely';
import { sampleOf } from '#store/postgres/statements/sample.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { bigintText, bool, float, nullable } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';

/** Up to this many dirty associations of a type are counted exactly: the oldest ones. */
export const countedMax = 5_000;

/** The changes of a destination that are not synced. */
export type PendingOf = Pick<RowOf<typeof pendingColumns>, 'destination_id' | 'pending' | 'oldest_seconds'>;

const pendingColumns = {
  destination_id: bigintText,
  pending: float,
  oldest_seconds: nullable(float),
  /** The type has more dirty associations than are counted. */
  is_cut: bool,
};

/**
 * Counts the dirty associations of the destinations that have any, along the index of dirty associations by age. When a type has very
 * many, its oldest ones give the ages, and a sample of the table gives the numbers: the cost has a bound.
 */
export async function pendingByDestination(
  { db }: Pick<Store, 'db'>,
  types: readonly string[],
  pagesMax?: number,
): Promise<readonly PendingOf[]> {
  const { rows } = await rowsOf(pendingColumns)`
    select a.destination_id, count(*)::float8 as pending,
           greatest(extract(epoch from now() - min(a.dirty_since)), 0)::float8 as oldest_seconds,
           sum(count(*)) over (partition by t.type) > ${countedMax}::int as is_cut
      from unnest(${types}::text[]) t (type)
     cross join lateral (
       select destination_id, dirty_since from associations
        where type = t.type and generation > observed_generation order by dirty_since limit ${countedMax + 1}::int) a
     group by t.type, a.destination_id`.execute(db);
  if (!rows.some(({ is_cut }) => is_cut)) return rows;
  const estimates = await estimated({ db }, pagesMax);
  const known = new Map(rows.map((row) => [row.destination_id, row]));
  return [
    ...rows.map((row) => ({
      ...row,
      pending: Math.max(row.pending, row.is_cut ? (estimates.get(row.destination_id) ?? 0) : 0),
    })),
    ...[...estimates].flatMap(([id, pending]) =>
      known.has(id) ? [] : [{ destination_id: id, pending, oldest_seconds: null }],
    ),
  ];
}

async function estimated(store: Pick<Store, 'db'>, pagesMax: number | undefined): Promise<ReadonlyMap<string, number>> {
  const sample = await sampleOf(store, 'associations', pagesMax);
  const { rows } = await rowsOf({ destination_id: bigintText, count: float })`
    select destination_id, count(*)::float8 as count from ${sample.rows}
     where generation > observed_generation group by destination_id order by count desc limit ${countedMax}::int`.execute(
    store.db,
  );
  return new Map(rows.map(({ destination_id, count }) => [destination_id, Math.round(count * sample.factor)]));
}

/** As the columns of `unnest`. */
export const asColumns = (pending: readonly PendingOf[]) => sql`
  unnest(${pending.map(({ destination_id }) => destination_id)}::bigint[],
         ${pending.map((one) => Math.min(Math.round(one.pending), 2_147_483_647))}::int[],
         ${pending.map(({ oldest_seconds }) => oldest_seconds)}::float8[])`;
