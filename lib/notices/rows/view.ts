import type { DestinationDefinition } from '#destinations/contract.ts';
import type { Vocabulary } from '#path/contract/request.ts';
import { storedTypeIn } from '#sync/model/definition.ts';
import type { Delivery, ListedDelivery } from '../receivers/delivery.ts';
import type { Notification } from '../receivers/notification.ts';
import { shownPattern } from './fields.ts';

type Definitions = readonly DestinationDefinition[];

/** A notification as reads show it, without its key. */
export function notificationView(
  definitions: Definitions,
  row: Notification,
  url: string,
  vocabulary: Vocabulary,
): object {
  return {
    name: row.name,
    url,
    kinds: row.kinds,
    destinations: row.destinations.map((pattern) => shownPattern(definitions, pattern, vocabulary)),
    disabled: row.disabled,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    failures: row.failures,
    last_success_at: asTime(row.last_success_at),
    last_error_at: asTime(row.last_error_at),
    last_error: row.last_error,
  };
}

/** A delivery as lists show it. */
export function deliveryView(definitions: Definitions, row: ListedDelivery, vocabulary: Vocabulary): object {
  const { type, name } = row;
  return {
    id: row.id,
    event: row.event_id,
    kind: row.kind,
    ...(type === null || name === null
      ? {}
      : { destination: { type: storedTypeIn(definitions, type, vocabulary), name } }),
    state: row.state,
    attempts: row.attempts,
    created_at: row.created_at.toISOString(),
    last_attempt_at: asTime(row.attempted_at),
    next_attempt_at: row.state === 'waiting' ? row.next_at.toISOString() : null,
    last_status: row.status,
    last_error: row.error,
  };
}

/** A delivery with the body that is sent. */
export const wholeDeliveryView = (definitions: Definitions, row: Delivery, vocabulary: Vocabulary): object => ({
  ...deliveryView(definitions, row, vocabulary),
  body: JSON.parse(row.body) as object,
});

const asTime = (time: Date | null): string | null => time?.toISOString() ?? null;
