import { pick } from '#store/sql/columns.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { syncConfigTable } from '#store/tables/sync.ts';
import { type GivenPause, pauseAfter, pauseNow } from '../../model/pause.ts';
import type { SyncSettings } from '../../model/settings.ts';

/** Changes of the configuration; undefined leaves a setting. */
export interface Changes extends GivenPause {
  readonly queue_capacity?: number | undefined;
}

/** Saves the given settings. The others keep their value, even if another request changes them at the same time. */
export async function saveSettings(store: Store, { queue_capacity, ...pause }: Changes): Promise<SyncSettings> {
  return store.transaction(async (tx) => {
    const stored = await rowsOf(columns)`
      select disabled, disabled_until, queue_capacity from sync_config where id = 1 for update`.execute(tx);
    const [row] = stored.rows;
    if (row === undefined) throw new Error('the row of sync_config is missing');
    const now = store.clock.now();
    const { disabled, until } = pauseAfter(pauseNow(row, now), pause, now);
    const settings = { disabled, disabled_until: until, queue_capacity: queue_capacity ?? row.queue_capacity };
    await tx.updateTable('sync_config').set(settings).where('id', '=', 1).execute();
    return settings;
  });
}

const columns = pick(syncConfigTable, 'disabled', 'disabled_until', 'queue_capacity');
