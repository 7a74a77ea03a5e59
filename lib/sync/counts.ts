import { type RawBuilder, sql } from 'kysely';
import { sampleOf } from '../store/postgres/sample.ts';
import type { Store } from '../store/store.ts';
import { isRemnant } from './recheck/remnant.ts';
import { errorStatuses, toStatus } from './status.ts';

/** Associations of a type in one status. */
export interface StatusCount {
  readonly type: string;
  readonly status: string;
  readonly count: number;
}

/** Associations that are counted one by one, of those that are dirty and of those that have failed. */
const countedMax = 5_000;

/**
 * By type and status. Exact in a small table. In a large one those that are dirty or have failed are counted, up to a bound, and
 * the others are an estimate: see `sampleOf`.
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

/** Conditions that the planner knows the partial indexes by. */
const conditions = {
  dirty: sql`generation > observed_generation`,
  failed: sql`status in (${sql.join(errorStatuses.map((status) => sql.lit(status)))})`,
};

/** Counts up to the bound. */
async function countPart(store: Pick<Store, 'db'>, part: keyof typeof conditions): Promise<readonly PartCount[]> {
  const found = sql`(select * from associations where ${conditions[part]} limit ${countedMax}::int) as associations`;
  return (await countParts(store, found)).filter((one) => one.part === part);
}

const total = (counts: readonly PartCount[]): number => counts.reduce((sum, { count }) => sum + count, 0);

async function countParts({ db }: Pick<Store, 'db'>, from: RawBuilder<unknown>): Promise<readonly PartCount[]> {
  const { rows } = await sql<PartCount>`
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
 * Seconds since the oldest change of each type that has not arrived, on the clock of the database. Types without one are
 * left out. Each type is one look at the index of dirty associations by their age, and one at the destinations whose associations
 * are being marked.
 */
export async function oldestDirty(
  { db }: Pick<Store, 'db'>,
  types: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ type: string; seconds: number }>`
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

export interface KnownDestination {
  readonly id: string;
  readonly type: string;
}

/** How many of each type. */
export async function countDestinations({ db }: Pick<Store, 'db'>): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ type: string; count: number }>`
    select type, count(*)::float8 as count from destinations group by type`.execute(db);
  return new Map(rows.map(({ type, count }) => [type, count]));
}

/** The first so many of all destinations. */
export async function someDestinations({ db }: Pick<Store, 'db'>, most: number): Promise<readonly KnownDestination[]> {
  const { rows } = await sql<KnownDestination>`
    select id::text as id, type from destinations order by destinations.id limit ${most}`.execute(db);
  return rows;
}
