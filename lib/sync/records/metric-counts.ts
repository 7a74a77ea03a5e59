import { type RawBuilder, sql } from 'kysely';
import { sampleOf } from '#store/postgres/statements/sample.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { float, int, oneOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { errorStatuses, isRemnant, toStatus } from '../model/status.ts';

/** How many associations of a type have a status. */
export interface StatusCount {
  readonly type: string;
  readonly status: string;
  readonly count: number;
}

/** Up to this many dirty and this many failed associations are counted exactly. */
const countedMax = 5_000;

/**
 * Counts associations by type and status. Exact for a small table. In a large one, dirty and failed associations are counted up
 * to a bound and the rest is estimated: see `sampleOf`.
 */
export async function estimateAssociations(
  store: Pick<Store, 'db'>,
  pagesMax?: number,
): Promise<readonly StatusCount[]> {
  const sample = await sampleOf(store, 'associations', pagesMax);
  const sampled = await countParts(store, sample.rows);
  const estimated = sampled.map((one) => ({ ...one, count: Math.round(one.count * sample.factor) }));
  if (sample.factor === 1) return byStatus(estimated);
  const exact = await Promise.all(
    (['dirty', 'failed'] as const).map(async (part) => {
      const counted = await countPart(store, part);
      const guess = estimated.filter((one) => one.part === part);
      return total(counted) < countedMax || total(guess) < total(counted) ? counted : guess;
    }),
  );
  return byStatus([...estimated.filter(({ part }) => part === 'other'), ...exact.flat()]);
}

type Part = 'dirty' | 'failed' | 'other';
type PartCount = StatusCount & { readonly part: Part };

/** The conditions of the partial indexes, written so that the planner recognizes them. */
const conditions = {
  dirty: sql`generation > observed_generation`,
  failed: sql`status in (${sql.join(errorStatuses.map((status) => sql.lit(status)))})`,
};

/** Counts exactly, up to the bound. */
async function countPart(store: Pick<Store, 'db'>, part: keyof typeof conditions): Promise<readonly PartCount[]> {
  const found = sql`(select * from associations where ${conditions[part]} limit ${countedMax}::int) as associations`;
  return (await countParts(store, found)).filter((one) => one.part === part);
}

const total = (counts: readonly PartCount[]): number => counts.reduce((sum, { count }) => sum + count, 0);

async function countParts({ db }: Pick<Store, 'db'>, from: RawBuilder<unknown>): Promise<readonly PartCount[]> {
  const { rows } = await rowsOf({ type: text, status: text, count: float, part: oneOf('dirty', 'failed', 'other') })`
    select type, status, count(*)::float8 as count,
           case when ${conditions.dirty} then 'dirty' when ${conditions.failed} then 'failed' else 'other' end as part
      from ${from} where not ${isRemnant()} group by type, status, part`.execute(db);
  return rows;
}

function byStatus(counts: readonly PartCount[]): readonly StatusCount[] {
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
