import type { Store } from '#store/store.ts';
import { pauseNow } from './pause.ts';

export interface SyncSettings {
  /** A pause that has ended by itself is over. */
  readonly disabled: boolean;
  /** When the pause ends by itself; null while not paused, and for a pause without an end. */
  readonly disabled_until: Date | null;
  readonly queue_capacity: number;
}

/** The row of `sys/sync/config`. */
export async function loadSettings(store: Store): Promise<SyncSettings> {
  const row = await store.db
    .selectFrom('sync_config')
    .select(['disabled', 'disabled_until', 'queue_capacity'])
    .where('id', '=', 1)
    .executeTakeFirstOrThrow();
  const { disabled, until } = pauseNow(row, store.clock.now());
  return { disabled, disabled_until: until, queue_capacity: row.queue_capacity };
}
