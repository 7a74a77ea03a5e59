import { type RawBuilder, sql } from 'kysely';

/**
 * The part `tenants (id)` of a statement `with recursive`: the tenants that have rows with a condition, each found by one step along an index
 * of the column with that condition, so that the rows of one tenant do not have to be read to find the next. The last id is null.
 */
export function tenants(table: string, column: string, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  const [rows, id] = [sql.table(table), sql.ref(column)];
  return sql`tenants (id) as (
      (select ${id} from ${rows} where ${condition} order by 1 limit 1)
      union all
      select (select ${sql.ref(`n.${column}`)} from ${rows} n where ${condition} and ${sql.ref(`n.${column}`)} > t.id order by 1 limit 1)
        from tenants t where t.id is not null
    )`;
}
