import { z } from 'zod';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { jsonOf, oneOf } from '#store/sql/kinds.ts';
import { syncEventsTable } from '#store/tables/notices.ts';

/** The kinds of events. Each is about a group: all failed syncs of a destination are one event. */
export const eventKinds = [
  'destination.failing',
  'destination.recovered',
  'destination.circuit-opened',
  'destination.circuit-closed',
  'destination.throttled',
  'destination.unthrottled',
  'queue.filling',
  'queue.drained',
  'batch.ended',
] as const;
export type EventKind = (typeof eventKinds)[number];

/** The failed syncs of one kind of error. */
const failedKind = z.strictObject({ kind: z.string(), count: z.number(), remedy: z.string().exactOptional() });
export type FailedKind = z.infer<typeof failedKind>;

/** What an event says besides its destination. Which members there are depends on the kind. Holds no value and no name of a secret. */
const details = z
  .strictObject({
    failed: z.number(),
    /** There are more than `failed`. */
    failed_at_least: z.boolean(),
    /** The most frequent kind first. */
    errors: z.array(failedKind).readonly(),
    /** Ids of some of the records. */
    records: z.array(z.string()).readonly(),
    /** RFC 3339, as the others. */
    since: z.string(),
    open_until: z.string(),
    pending: z.number(),
    capacity: z.number(),
    batch: z.strictObject({ id: z.string(), action: z.string(), state: z.string() }),
    counts: z.strictObject({ synced: z.number(), unsynced: z.number(), failed: z.number() }),
  })
  .partial()
  .readonly();
export type EventDetails = z.infer<typeof details>;

/** An event that is to be stored. */
export interface NewEvent {
  readonly kind: EventKind;
  readonly destination?: { readonly type: string; readonly name: string };
  readonly batchId?: string;
  readonly details: EventDetails;
}

/** An event as stored. */
export type SyncEvent = RowOf<typeof eventColumns>;

export const eventColumns = {
  ...pick(syncEventsTable, 'id', 'occurred_at', 'type', 'name'),
  kind: oneOf(...eventKinds),
  details: jsonOf(details),
};

/** An event as reads and webhooks show it. */
export function eventView({ id, kind, occurred_at, type, name, details: more }: SyncEvent, shownType = type): object {
  const destination = shownType === null || name === null ? undefined : { type: shownType, name };
  return {
    id,
    kind,
    at: occurred_at.toISOString(),
    ...(destination === undefined ? {} : { destination }),
    text: textOf(kind, destination === undefined ? '' : `${destination.type}/${destination.name}`, more),
    ...more,
  };
}

/** One sentence for people. Chat services show the member `text` of a webhook. */
function textOf(kind: EventKind, destination: string, more: EventDetails): string {
  switch (kind) {
    case 'destination.failing':
      return `${destination}: ${failedText(more)}`;
    case 'destination.recovered':
      return `${destination}: all syncs that had failed are in line again`;
    case 'destination.circuit-opened':
      return `${destination}: does not answer, so its circuit breaker is open and its syncs wait`;
    case 'destination.circuit-closed':
      return `${destination}: answers again, and its circuit breaker is closed`;
    case 'destination.throttled':
      return `${destination}: the provider throttles its calls, so its syncs are slow or wait`;
    case 'destination.unthrottled':
      return `${destination}: the provider no longer throttles its calls, or only now and then`;
    case 'queue.filling':
      return `the sync queue fills: ${more.pending ?? 0} of ${more.capacity ?? 0} operations are pending`;
    case 'queue.drained':
      return `the sync queue has drained: ${more.pending ?? 0} of ${more.capacity ?? 0} operations are pending`;
    case 'batch.ended':
      return batchText(more);
  }
}

function failedText({ failed = 0, failed_at_least = false, errors = [] }: EventDetails): string {
  const kinds = errors.map(({ kind, count }) => `${kind} ${count}`).join(', ');
  return `${failed_at_least ? 'more than ' : ''}${failed} ${failed === 1 ? 'sync has' : 'syncs have'} failed (${kinds})`;
}

function batchText({ batch, counts }: EventDetails): string {
  const { synced = 0, unsynced = 0, failed = 0 } = counts ?? {};
  return `the batch ${batch?.id ?? ''} (${batch?.action ?? ''}) is ${batch?.state ?? ''}: ${synced + unsynced} in line, ${failed} failed`;
}
