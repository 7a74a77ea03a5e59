import { type RawBuilder, sql } from 'kysely';
import { float } from '../../sql/kinds.ts';
import { rowsOf } from '../../sql/rows.ts';
import type { Store } from '../../store.ts';

/** In a larger table, about this many pages are read (4 MB). */
export const sampledPagesMax = 512;

/** The rows to count, and the factor to multiply the count by. */
export interface Sample {
  /** Goes after `from`. */
  readonly rows: RawBuilder<unknown>;
  /** 1 when the sample contains all rows. */
  readonly factor: number;
}

/**
 * A sample of a table whose cost does not grow with the table. A small table is read completely. The sample takes the same pages
 * each time, so that an estimate changes with the table and not by chance; with evenly spread rows the error is about 5 %.
 */
export async function sampleOf(
  { db }: Pick<Store, 'db'>,
  table: string,
  pagesMax: number = sampledPagesMax,
): Promise<Sample> {
  const { rows } = await rowsOf({ pages: float })`
    select (pg_relation_size(${table}::regclass) / current_setting('block_size')::bigint)::float8 as pages`.execute(db);
  const pages = rows[0]?.pages ?? 0;
  if (pages <= pagesMax) return { rows: sql.table(table), factor: 1 };
  const percent = (100 * pagesMax) / pages;
  return {
    rows: sql`${sql.table(table)} tablesample system (${percent}::float4) repeatable (0)`,
    factor: pages / pagesMax,
  };
}
