import { coalesce } from '#core/concurrency/coalesce.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { changeOf, eventOf, type TrailEvent } from './event.ts';
import { insertEvents } from './store.ts';

/** Stores events. */
export interface Trail {
  /** Resolves when the event is stored; rejects when storing fails. */
  add(event: TrailEvent): Promise<void>;
}

/** Concurrent changes share a statement. */
const batches = { batchSizeMax: 200, batchesMax: 2 };

export function openTrail({ store, auditTrailDays }: Pick<WorkspaceParts, 'store' | 'auditTrailDays'>): Trail {
  if (auditTrailDays === 0) return { add: async () => {} };
  const insert = coalesce(async (events: readonly TrailEvent[]) => {
    await insertEvents(store, events);
    return events.map(() => undefined);
  }, batches);
  return { add: insert };
}

/**
 * Records the changes of a row in the audit trail of their organization before the row answers. Rows at signed addresses are not
 * recorded; the request that created the address is.
 */
export function recorded(row: ApiRow, trail: Trail): ApiRow {
  if (row.open || row.method === 'GET') return row;
  const change = changeOf(row);
  return {
    ...row,
    async run(request) {
      const reply = await row.run(request);
      const event = eventOf(change, request, reply);
      if (event !== undefined) await trail.add(event);
      return reply;
    },
  };
}
