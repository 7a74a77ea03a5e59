import { type QueryExecutorProvider, sql } from 'kysely';
import { isRepeatable } from '../postgres/failure.ts';

export interface Index {
  readonly name: string;
  /** Table, columns and condition, as in `create index … on`. */
  readonly on: string;
}

const attemptsMax = 5;

/**
 * Builds an index while the table is being written to. May be cut off and run again: a build that was cut off leaves an
 * invalid index, which is dropped and built anew. A build waits for the transactions that began before it; where one of
 * these waits for the build, PostgreSQL ends one of the two, so a build has more than one attempt.
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
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${name})`.execute(db);
  return rows[0]?.valid === true;
}
