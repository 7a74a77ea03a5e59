import { type QueryExecutorProvider, sql } from 'kysely';
import { buildIndex } from './concurrent-index.ts';

/**
 * What the sync records about calls with an unknown outcome. Adding the columns does not rewrite the tables: they are null or have a
 * constant default.
 */
export async function lateWrites(db: QueryExecutorProvider): Promise<void> {
  for (const statement of columns) await sql.raw(statement).execute(db);
  await buildIndex(db, {
    name: 'associations_recheck',
    on: 'associations (recheck_at) where recheck_at is not null and generation = observed_generation',
  });
}

const columns = [
  `alter table associations
     add column if not exists unconfirmed_at timestamptz,
     add column if not exists recheck_at timestamptz,
     add column if not exists rechecks integer not null default 0,
     add column if not exists recheck_generation integer not null default 0`,
  'alter table sync_objects add column if not exists removed_at timestamptz',
];
