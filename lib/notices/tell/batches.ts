import { pick } from '#store/sql/columns.ts';
import { text, uuid } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { batchColumns } from '#sync/batches/batch.ts';
import type { EventKind, NewEvent } from '../events/event.ts';
import { holdsNamespace, recordEvents } from './record.ts';

/** Batches that ended earlier are not told any longer, in minutes: their events may have been deleted. */
const tellMinutesMax = 60;
/** Batches of one look. */
const batchesMax = 100;

const endedColumns = { ...pick(batchColumns, 'action', 'state', 'filter', 'outcomes'), id: uuid, namespace_id: text };

/** Tells the batches that have ended, each once. A canceled one is left out: its canceler knows. */
export async function tellBatches(store: Pick<Store, 'db' | 'transaction'>): Promise<readonly EventKind[]> {
  const { rows } = await rowsOf(endedColumns)`
    select id, namespace_id, action, state, filter, outcomes from sync_batches b
     where finished_at > now() - make_interval(mins => ${tellMinutesMax}) and state in ('done', 'failed')
       and not exists (select 1 from sync_events e where e.batch_id = b.id)
     order by finished_at limit ${batchesMax}::int`.execute(store.db);
  const told: EventKind[] = [];
  for (const [namespaceId, ended] of Map.groupBy(rows, ({ namespace_id }) => namespace_id)) {
    const events = ended.map(
      ({ id, action, state, filter: { type, name }, outcomes: { synced, unsynced, failed } }): NewEvent => ({
        kind: 'batch.ended',
        ...(type === undefined || name === undefined ? {} : { destination: { type, name } }),
        batchId: id,
        details: {
          batch: { id, action, state },
          counts: { synced, unsynced, failed: Object.values(failed).reduce((sum, count) => sum + count, 0) },
        },
      }),
    );
    const kinds = await store.transaction(async (tx) =>
      (await holdsNamespace(tx, namespaceId)) ? recordEvents(tx, namespaceId, events) : [],
    );
    told.push(...kinds);
  }
  return told;
}
