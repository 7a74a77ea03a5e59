import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../store.ts';

/** Of a table of more pages about so many are read: 4 MB. */
export const sampledPagesMax = 512;

/** What to count in, and by how much to multiply what was found. */
export interface Sample {
  /** Stands behind `from`. */
  readonly rows: RawBuilder<unknown>;
  /** 1: these are all rows. */
  readonly factor: number;
}

/**
 * A part of a table that costs the same however large the table is. A small table is read as a whole. The same pages are taken
 * each time, so that an estimate moves with the table and not by chance: it is off by some 5 % when rows are spread evenly.
 */
export async function sampleOf(
  { db }: Pick<Store, 'db'>,
  table: string,
  pagesMax: number = sampledPagesMax,
): Promise<Sample> {
  const { rows } = await sql<{ readonly pages: number }>`
    select (pg_relation_size(${table}::regclass) / current_setting('block_size')::bigint)::float8 as pages`.execute(db);
  const pages = rows[0]?.pages ?? 0;
  if (pages <= pagesMax) return { rows: sql.table(table), factor: 1 };
  const percent = (100 * pagesMax) / pages;
  return {
    rows: sql`${sql.table(table)} tablesample system (${percent}::float4) repeatable (0)`,
    factor: pages / pagesMax,
  };
}
