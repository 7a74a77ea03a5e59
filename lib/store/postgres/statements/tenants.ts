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

interface FairTurns {
  /** Has the columns `id` and `claimed_until`. */
  readonly table: string;
  readonly tenant: string;
  /** The column that says when a row is due; null: never. An index has it behind the tenant. */
  readonly due: string;
  /** Which of the due rows, as `r`, may have a turn. */
  readonly may?: RawBuilder<unknown>;
  /** Which of the claimed rows, as `r`, use the share of their tenant. */
  readonly counts?: RawBuilder<unknown>;
  /** Turns of one tenant at the same time, over all processes. */
  readonly ofTenantMax: number;
  readonly countMax: number;
}

/**
 * The parts of a statement `with recursive` up to `free (id)`: at most `countMax` rows that are due, locked. Every tenant gets its first turn before
 * any gets a second one, and none gets more than its share. The statement must go on by setting `claimed_until` of the rows.
 */
export function fairTurns(turns: FairTurns): RawBuilder<unknown> {
  const { ofTenantMax, countMax, may = sql`true`, counts = sql`true` } = turns;
  const [rows, tenant, due] = [sql.table(turns.table), sql.ref(`r.${turns.tenant}`), sql.ref(`r.${turns.due}`)];
  const isFree = sql`${due} <= now() and (r.claimed_until is null or r.claimed_until <= now()) and ${may}`;
  return sql`${tenants(turns.table, turns.tenant, sql`${sql.ref(turns.due)} is not null`)},
    due as (
      select d.id
        from tenants t cross join lateral (
          select n.id, n.due_at, row_number() over (order by n.due_at) + (
                   select count(*) from ${rows} r where ${tenant} = t.id and r.claimed_until > now() and ${counts}) as turn
            from (select r.id, ${due} as due_at from ${rows} r
                   where ${tenant} = t.id and ${isFree} order by ${due} limit ${ofTenantMax}) n) d
       where t.id is not null and d.turn <= ${ofTenantMax}
       order by d.turn, d.due_at limit ${countMax}
    ),
    free as (
      select r.id from ${rows} r where r.id in (select id from due) and ${isFree} for no key update skip locked
    )`;
}
