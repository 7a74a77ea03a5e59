import { sql } from 'kysely';
import type { Store } from '../store/store.ts';
import { isRemnant } from './recheck/remnant.ts';
import { toStatus } from './status.ts';

/** Associations of a type in one status. */
export interface StatusCount {
  readonly type: string;
  readonly status: string;
  readonly count: number;
}

/** One pass over all associations; for who keeps the answer for a while. */
export async function countAssociations({ db }: Pick<Store, 'db'>): Promise<readonly StatusCount[]> {
  const { rows } = await sql<StatusCount>`
    select type, status, count(*)::float8 as count from associations where not ${isRemnant()} group by type, status`.execute(
    db,
  );
  return rows.map((row) => ({ ...row, status: toStatus(row.status) }));
}

/**
 * Seconds since the oldest change of each type that has not arrived, on the clock of the database. Types without one are
 * left out. Reads the dirty associations, which the partial index on them finds.
 */
export async function oldestDirty({ db }: Pick<Store, 'db'>): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ type: string; seconds: number }>`
    select type, greatest(extract(epoch from now() - min(dirty_since)), 0)::float8 as seconds from associations
     where generation > observed_generation and dirty_since is not null group by type`.execute(db);
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
