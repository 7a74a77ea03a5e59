import type { Fields, Input } from '#path/fields.ts';
import { pick } from '#store/sql/columns.ts';
import { bigintText } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { destinationsTable } from '#store/tables/sync.ts';
import { openConnection } from '../drivers/drivers.ts';

/** Associations that are returned, those that became dirty last. */
const foundMax = 1_000;

const columns = { ...pick(destinationsTable, 'type', 'name', 'connection', 'namespace_id'), id: bigintText };

/** The connection details of the destination of each association of a type that became dirty within the last `withinMs`, at most 1,000. */
export async function recentlyDirty(store: Store, type: string, withinMs: number): Promise<readonly Input<Fields>[]> {
  const { rows } = await rowsOf(columns)`
    select d.id::text as id, d.type, d.name, d.connection, d.namespace_id
      from (select destination_id from associations
             where type = ${type} and generation > observed_generation
               and dirty_since > now() - make_interval(secs => ${withinMs / 1_000}::float8)
             order by dirty_since desc limit ${foundMax}) a
      join destinations d on d.id = a.destination_id`.execute(store.db);
  const opened = new Map<string, Input<Fields>>();
  return rows.map((row) => {
    const connection = opened.get(row.id) ?? openConnection(store, row, row.connection);
    opened.set(row.id, connection);
    return connection;
  });
}
