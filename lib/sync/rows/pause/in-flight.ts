import { sql } from 'kysely';
import { AppError } from '#core/errors.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { SyncParts } from '../parts.ts';

/**
 * Waits for the operations in flight after a pause was stored. No further one begins, so the list is read once.
 *
 * @param destinationId undefined after a pause of the whole sync
 * @throws AppError `unavailable` when they take longer than the limit
 */
export async function waitForOperations(
  parts: Pick<SyncParts, 'store' | 'clock' | 'drainMs'>,
  signal: AbortSignal,
  destinationId?: string,
): Promise<void> {
  const deadline = parts.clock.now().getTime() + parts.drainMs;
  let ids = await inFlight(parts.store, destinationId);
  while (ids.length > 0) {
    if (signal.aborted || parts.clock.now().getTime() > deadline) {
      const what = destinationId === undefined ? 'the sync is disabled' : 'the destination is paused';
      throw new AppError('unavailable', `${what}, but operations that began before are still running: try again`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    ids = await stillInFlight(parts.store, ids);
  }
}

/**
 * The associations that workers have in flight. Workers claim only dirty associations, which stay dirty until they are finished,
 * so the index of dirty associations finds them.
 */
export async function inFlight(store: Store, destinationId?: string): Promise<readonly string[]> {
  const ofDestination = destinationId === undefined ? sql`` : sql`and destination_id = ${destinationId}::bigint`;
  const { rows } = await rowsOf({ id: text })`
    select id::text as id from associations
     where generation > observed_generation and claimed_until > now() ${ofDestination}`.execute(store.db);
  return rows.map(({ id }) => id);
}

/** The given associations that are still in flight. */
export async function stillInFlight(store: Store, ids: readonly string[]): Promise<readonly string[]> {
  const { rows } = await rowsOf({ id: text })`
    select id::text as id from associations where id = any(${ids}::bigint[]) and claimed_until > now()`.execute(
    store.db,
  );
  return rows.map(({ id }) => id);
}
