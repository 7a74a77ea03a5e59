import { sql } from 'kysely';
import type { Store } from '../../../store/store.ts';

/**
 * The associations that workers have in flight. Only a dirty one is ever taken, and it is dirty until it is written back, so
 * the index of the dirty ones finds them.
 */
export async function inFlight(store: Store): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id::text as id from associations
     where generation > observed_generation and claimed_until > now()`.execute(store.db);
  return rows.map(({ id }) => id);
}

/** Those of them that are still in flight. */
export async function stillInFlight(store: Store, ids: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id::text as id from associations where id = any(${ids}::bigint[]) and claimed_until > now()`.execute(
    store.db,
  );
  return rows.map(({ id }) => id);
}
