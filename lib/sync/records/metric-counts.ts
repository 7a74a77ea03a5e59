import type { RowOf } from '#store/sql/columns.ts';
import { float, int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { toStatus } from '../model/status.ts';

/** How many associations of a type have a status. */
export interface StatusCount {
  readonly type: string;
  readonly status: string;
  readonly count: number;
}

/** Associations by type and status, without remnants: the sums of what triggers have counted. */
export async function countAssociations({ db }: Pick<Store, 'db'>): Promise<readonly StatusCount[]> {
  const { rows } = await associationsStatement.execute(db);
  return byStatus(rows);
}

export const associationsStatement = rowsOf({ type: text, status: text, count: float })`
  select d.type, c.status, sum(c.associations)::float8 as count
    from association_counts c join destinations d on d.id = c.destination_id
   group by d.type, c.status having sum(c.associations) > 0`;

/** Changes of the counts that are counted at most. */
const unfoldedMax = 100_000;

/** How many changes of these counts wait to be replaced by sums, along the index of these. They only grow while no sweep runs. */
export async function countUnfolded({ db }: Pick<Store, 'db'>): Promise<number> {
  const { rows } = await rowsOf({ count: int })`
    select count(*)::int as count from (
      select 1 from association_counts where not folded limit ${unfoldedMax}::int) one`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Those with a status that this version does not know are counted as one. */
function byStatus(counts: readonly StatusCount[]): readonly StatusCount[] {
  const sums = new Map<string, StatusCount>();
  for (const { type, status: stored, count } of counts) {
    const status = toStatus(stored);
    const key = `${type} ${status}`;
    sums.set(key, { type, status, count: count + (sums.get(key)?.count ?? 0) });
  }
  return [...sums.values()];
}

/**
 * Seconds since the oldest unsynced change of each type, on the clock of the database. Types without such a change are left
 * out. Each type costs one look into the index of dirty associations by age, and one at the destinations being marked.
 */
export async function oldestDirty(
  { db }: Pick<Store, 'db'>,
  types: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await rowsOf({ type: text, seconds: float })`
    select types.type, greatest(extract(epoch from now() - oldest.since), 0)::float8 as seconds
      from unnest(${types}::text[]) as types (type)
     cross join lateral (
       select min(since) as since from (
         (select dirty_since as since from associations a
           where a.type = types.type and generation > observed_generation and dirty_since is not null
           order by dirty_since limit 1)
         union all
         select m.began_at from markings m join destinations d on d.id = m.destination_id where d.type = types.type
       ) as changes) as oldest
     where oldest.since is not null`.execute(db);
  return new Map(rows.map(({ type, seconds }) => [type, seconds]));
}

export type KnownDestination = RowOf<typeof knownDestinationColumns>;

const knownDestinationColumns = {
  id: text,
  type: text,
};

/** The number of destinations of each type. */
export async function countDestinations({ db }: Pick<Store, 'db'>): Promise<ReadonlyMap<string, number>> {
  const { rows } = await rowsOf({ type: text, count: int })`
    select type, count(*)::float8 as count from destinations group by type`.execute(db);
  return new Map(rows.map(({ type, count }) => [type, count]));
}

/** The first `limit` destinations by id. */
export async function firstDestinations(
  { db }: Pick<Store, 'db'>,
  limit: number,
): Promise<readonly KnownDestination[]> {
  const { rows } = await rowsOf(knownDestinationColumns)`
    select id::text as id, type from destinations order by destinations.id limit ${limit}`.execute(db);
  return rows;
}
