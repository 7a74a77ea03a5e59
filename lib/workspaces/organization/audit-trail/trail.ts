import { coalesce } from '../../../core/concurrency/coalesce.ts';
import type { WorkspaceParts } from '../../contract.ts';
import type { TrailEvent } from './event.ts';
import { insertEvents } from './store.ts';

/** Where events go. */
export interface Trail {
  /** Until it is stored. Rejects when it could not be. */
  add(event: TrailEvent): Promise<void>;
}

/** Changes that are made at once share a statement. */
const batches = { batchSizeMax: 200, batchesMax: 2 };

export function openTrail({ store, auditTrailDays }: Pick<WorkspaceParts, 'store' | 'auditTrailDays'>): Trail {
  if (auditTrailDays === 0) return { add: async () => {} };
  const insert = coalesce(async (events: readonly TrailEvent[]) => {
    await insertEvents(store, events);
    return events.map(() => undefined);
  }, batches);
  return { add: insert };
}
