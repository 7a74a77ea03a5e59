import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * What looks unchanged and was seen so not long ago is not looked at again, unless somebody has asked for it by a replay or by
 * changing the destination. What is out of date at this moment may have been asked for so.
 */
export async function verifyGeneration(db: QueryExecutorProvider): Promise<void> {
  await sql`alter table associations add column verify_generation integer not null default 0`.execute(db);
  await sql`update associations set verify_generation = generation where generation > observed_generation`.execute(db);
}
