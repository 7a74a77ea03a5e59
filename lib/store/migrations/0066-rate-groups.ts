import { type QueryExecutorProvider, sql } from 'kysely';
import { alterSoon } from './alter-soon.ts';

/** Destinations may be told to share a rate. The statement may run again. */
export async function rateGroups(db: QueryExecutorProvider): Promise<void> {
  await alterSoon(db, sql`alter table destinations add column if not exists rate_group text`);
}
