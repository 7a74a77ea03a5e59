import { type QueryExecutorProvider, sql } from 'kysely';
import { alterSoon } from './alter-soon.ts';

/** A pause of one destination or of all may end by itself at a time. Each statement may run again. */
export async function pausedDestinations(db: QueryExecutorProvider): Promise<void> {
  await alterSoon(
    db,
    sql`alter table destinations add column if not exists disabled boolean not null default false,
          add column if not exists disabled_until timestamptz, add column if not exists resumed_at timestamptz`,
  );
  await alterSoon(db, sql`alter table sync_config add column if not exists disabled_until timestamptz`);
}
