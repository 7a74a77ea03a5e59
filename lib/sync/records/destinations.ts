import type { RowOf } from '#store/sql/columns.ts';
import { pick } from '#store/sql/columns.ts';
import { bigintText } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { destinationsTable } from '#store/tables/sync.ts';
import { ofDestination } from './condition.ts';
import type { RecordFilter } from './filter.ts';

/** A destination whose associations a list may show. */
export type ListedDestination = RowOf<typeof listedColumns>;

const listedColumns = { id: bigintText, ...pick(destinationsTable, 'type', 'name') };

/** A list looks at the associations of at most this many destinations. */
export const destinationsMax = 100_000;

/** The destinations of the namespace that match the filter, by type and name; at most one more than a list looks at. */
export async function listedDestinations(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  filter: RecordFilter,
): Promise<readonly ListedDestination[]> {
  const { rows } = await rowsOf(listedColumns)`
    select d.id, d.type, d.name from destinations d where d.namespace_id = ${namespaceId} and ${ofDestination(filter)}
     order by d.type, d.name limit ${destinationsMax + 1}::int`.execute(db);
  return rows;
}
