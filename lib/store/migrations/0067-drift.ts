import { type QueryExecutorProvider, sql } from 'kysely';
import { alterSoon } from './alter-soon.ts';
import { buildIndex } from './concurrent-index.ts';

/** What looks at destinations find that the sync did not do. Each statement may run again. */
export async function drift(db: QueryExecutorProvider): Promise<void> {
  await alterSoon(db, sql`alter table destinations add column if not exists on_drift text not null default 'report'`);
  await alterSoon(
    db,
    sql`alter table associations add column if not exists drift text, add column if not exists drift_at timestamptz`,
  );
  await alterSoon(db, sql`alter table sync_objects add column if not exists looked_at timestamptz`);
  await sql`
    create table if not exists destination_drift (
      destination_id bigint primary key references destinations (id) on delete cascade,
      due_at timestamptz not null,
      turned_at timestamptz,
      leased_by text,
      leased_until timestamptz,
      began_at timestamptz,
      pages integer not null default 0,
      list_after text,
      rest_after text collate "C",
      unseen integer not null default 0,
      checked_at timestamptz,
      checked_unseen integer not null default 0,
      error jsonb
    ) with (fillfactor = 50)`.execute(db);
  await buildIndex(db, {
    name: 'associations_drift',
    on: 'associations (destination_id, mount_id, secret_name) where drift is not null',
  });
}
