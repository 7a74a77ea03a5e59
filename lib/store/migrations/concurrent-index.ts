import { type QueryExecutorProvider, sql } from 'kysely';
import { isRepeatable } from '../postgres/failure.ts';
import { bool } from '../sql/kinds.ts';
import { rowsOf } from '../sql/rows.ts';

export interface Index {
  readonly name: string;
  /** Table, columns and condition, as in `create index … on`. */
  readonly on: string;
}

const attemptsMax = 5;

/**
 * Builds an index while the table is being written to. May be interrupted and run again: an interrupted build leaves an invalid index,
 * which is dropped and rebuilt. A build waits for transactions that began before it; if one of these waits for the build, PostgreSQL
 * ends one of the two, so there are several attempts.
 */
export async function buildIndex(db: QueryExecutorProvider, index: Index): Promise<void> {
  for (let attempt = 1; !(await isValid(db, index.name)); attempt += 1) {
    if (attempt > attemptsMax) throw new Error(`the index ${index.name} could not be built`);
    await dropIndex(db, index.name);
    await build(db, index, attempt === attemptsMax);
  }
}

async function build(db: QueryExecutorProvider, { name, on }: Index, last: boolean): Promise<void> {
  try {
    await sql.raw(`create index concurrently if not exists ${name} on ${on}`).execute(db);
  } catch (error) {
    if (last || !isRepeatable(error)) throw error;
  }
}

export async function dropIndex(db: QueryExecutorProvider, name: string): Promise<void> {
  await sql.raw(`drop index concurrently if exists ${name}`).execute(db);
}

async function isValid(db: QueryExecutorProvider, name: string): Promise<boolean> {
  const { rows } = await rowsOf({ valid: bool })`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${name})`.execute(db);
  return rows[0]?.valid === true;
}
