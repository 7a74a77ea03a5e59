import { sql } from 'kysely';
import type { RowOf } from '#store/sql/columns.ts';
import { bigintText, float, nullable } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { oldestOf } from '../records/overview/counts.ts';

/** Destinations with dirty associations that a sample looks at: those with the most. */
const destinationsMax = 10_000;

/** The changes of a destination that are not synced. */
export type PendingOf = RowOf<typeof pendingColumns>;

const pendingColumns = {
  destination_id: bigintText,
  pending: float,
  oldest_seconds: nullable(float),
};

/** The dirty associations of the destinations that have any, and the age of the oldest. The cost does not depend on their number. */
export async function pendingByDestination({ db }: Pick<Store, 'db'>): Promise<readonly PendingOf[]> {
  const { rows } = await pendingStatement.execute(db);
  return rows;
}

export const pendingStatement = rowsOf(pendingColumns)`
  select c.destination_id, c.pending,
         greatest(extract(epoch from now() - ${oldestOf(sql`c.destination_id`)}), 0)::float8 as oldest_seconds
    from (select destination_id, sum(dirty)::float8 as pending from association_counts
           group by destination_id having sum(dirty) > 0 order by sum(dirty) desc limit ${destinationsMax}::int) c`;

/** As the columns of `unnest`. */
export const asColumns = (pending: readonly PendingOf[]) => sql`
  unnest(${pending.map(({ destination_id }) => destination_id)}::bigint[],
         ${pending.map((one) => Math.min(Math.round(one.pending), 2_147_483_647))}::int[],
         ${pending.map(({ oldest_seconds }) => oldest_seconds)}::float8[])`;
