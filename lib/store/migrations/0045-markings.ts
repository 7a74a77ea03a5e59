import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Destinations whose associations have to be marked dirty, page by page in index order: those after `(after_mount, after_secret)` are not
 * marked yet. Associations with an id above `association_max` are newer than the change.
 */
export async function markings(db: QueryExecutorProvider): Promise<void> {
  await sql`
    create table markings (
      destination_id bigint primary key references destinations (id) on delete cascade,
      reason text not null,
      forced boolean not null,
      began_at timestamptz not null default now(),
      association_max bigint not null,
      after_mount uuid not null default '00000000-0000-0000-0000-000000000000',
      after_secret text collate "C" not null default '',
      turned_at timestamptz not null default now()
    )`.execute(db);
}
