import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * An object that was recently seen unchanged is not read again, unless a replay or a change of the destination requests it. For
 * associations that are out of date at this moment, such a request is assumed.
 */
export async function verifyGeneration(db: QueryExecutorProvider): Promise<void> {
  await sql`alter table associations add column verify_generation integer not null default 0`.execute(db);
  await sql`update associations set verify_generation = generation where generation > observed_generation`.execute(db);
}
