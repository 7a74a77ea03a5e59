import { type QueryExecutorProvider, sql } from 'kysely';

/**
 * Associations of a destination that are to be marked dirty, page by page in the order of their index: those behind
 * `(after_mount, after_secret)` are not marked yet. Those with a larger id than `association_max` are newer than the change.
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
