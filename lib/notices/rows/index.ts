import type { Row } from '#path/contract/row.ts';
import { deliveryRows } from './deliveries.ts';
import { eventRow } from './events.ts';
import { notificationRows } from './notifications.ts';
import type { NoticeParts } from './parts.ts';

/** The rows of `sys/sync/events` and `sys/sync/notifications`, relative to the mount `sys/`. */
export const noticeRows = (parts: NoticeParts): readonly Row[] => [
  eventRow(parts),
  ...notificationRows(parts),
  ...deliveryRows(parts),
];
