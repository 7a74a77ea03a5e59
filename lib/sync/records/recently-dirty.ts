import { sql } from 'kysely';
import type { Fields, Input } from '#path/fields.ts';
import { pick } from '#store/sql/columns.ts';
import { bigintText } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { destinationsTable } from '#store/tables/sync.ts';
import { openConnection } from '../drivers/drivers.ts';

/** Destinations that are returned. Every namespace gets its first one before any gets a second one. */
const foundMax = 1_000;

const columns = { ...pick(destinationsTable, 'type', 'name', 'connection', 'namespace_id'), id: bigintText };

/**
 * The destinations of a type with the time of the newest change of each that waits, if it is newer than `withinMs`. However many changes of a
 * destination wait, an index finds the newest one in one step, worded as in that index.
 */
const waiting = (type: string, withinMs: number) => sql`
  select d.id, d.namespace_id, a.dirty_since
    from destinations d cross join lateral (
      select dirty_since from associations
       where destination_id = d.id and generation > observed_generation and status <> 'SYNCED'
         and dirty_since > now() - make_interval(secs => ${withinMs / 1_000}::float8)
       order by dirty_since desc limit 1) a
   where d.type = ${type}`;

/** Selects the destinations that `recentlyDirty` returns. */
export const recentlyDirtyStatement = (type: string, withinMs: number) => rowsOf(columns)`
  select d.id::text as id, d.type, d.name, d.connection, d.namespace_id
    from (select id, dirty_since, row_number() over (partition by namespace_id order by dirty_since desc) as turn
            from (${waiting(type, withinMs)}) w
           order by turn, dirty_since desc limit ${foundMax}) f
    join destinations d on d.id = f.id
   order by f.turn, f.dirty_since desc`;

/**
 * The connection details of the destinations of a type of which an association became dirty within the last `withinMs` and waits to be synced; at
 * most 1,000.
 */
export async function recentlyDirty(store: Store, type: string, withinMs: number): Promise<readonly Input<Fields>[]> {
  const { rows } = await recentlyDirtyStatement(type, withinMs).execute(store.db);
  return rows.map((row) => openConnection(store, row, row.connection));
}
