import { sql } from 'kysely';
import { z } from 'zod';
import { type Resource, timeText, toMany, toOne } from '#path/jsonapi/resource.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { arrayOf, jsonOf, text } from '#store/sql/kinds.ts';
import { wsNotificationsTable } from '#store/tables/connections.ts';
import { notificationSettings } from './fields.ts';
import { type OwnerKind, ownerKinds } from './owners.ts';

/** The result of one attempt to send a message. */
export type Delivery = z.infer<typeof delivery>;

const delivery = z
  .strictObject({
    /** Empty for e-mail. */
    url: z.string(),
    /** HTTP or SMTP status; empty without an answer. */
    code: z.string(),
    'sent-at': z.string(),
    successful: z.enum(['true', 'false']),
    /** The reason why there was no answer, or what was rejected. */
    body: z.string(),
  })
  .readonly();

/** A configuration as stored. Exactly one of workspace, project and team is set. Without a token, requests are not signed. */
export type NotificationRow = RowOf<typeof notificationColumns>;

export const notificationColumns = {
  ...wsNotificationsTable,
  settings: jsonOf(notificationSettings),
  deliveries: jsonOf(z.array(delivery).readonly()),
};

/** A configuration that is about to be stored. */
export type Candidate = Pick<NotificationRow, 'id' | 'settings' | 'token'>;

/**
 * Sends a test message to the receiver of an enabled configuration before it is stored. Resolves with the result, or undefined for e-mail.
 *
 * @throws ApiError 400 when the receiver does not accept it
 */
export type Verify = (candidate: Candidate) => Promise<Delivery | undefined>;

/** A configuration with the users that get e-mail. */
export type ShownNotification = RowOf<typeof shownNotificationColumns>;

export const shownNotificationColumns = { ...notificationColumns, user_ids: arrayOf(text) };

/** Columns of `ShownNotification` for the configuration `n`. */
export const shownColumns = sql`n.*, array(
  select u.user_id from ws_notification_users u where u.notification_id = n.id order by u.user_id) as user_ids`;

export const tokenName = (id: string): string => `ws_notifications/${id}`;

/** The document of a configuration, without its token. */
export function notificationOf(row: ShownNotification): Resource {
  const { id, settings, deliveries, created_at, updated_at } = row;
  const { kind, ownerId } = ownerOf(row);
  return {
    id,
    type: 'notification-configurations',
    attributes: {
      'email-addresses': [],
      ...settings,
      token: null,
      'delivery-responses': deliveries,
      'created-at': timeText(created_at),
      'updated-at': timeText(updated_at),
    },
    relationships: {
      subscribable: toOne(kind.type, ownerId),
      'subscribable-choice': toOne(kind.type, ownerId),
      users: toMany('users', row.user_ids),
    },
    links: { self: `/api/v2/notification-configurations/${id}` },
  };
}

/** @throws Error for a row without an owner, which the constraints of the table rule out */
export function ownerOf(row: NotificationRow): { readonly kind: OwnerKind; readonly ownerId: string } {
  for (const kind of ownerKinds) {
    const ownerId = row[kind.column];
    if (ownerId !== null) return { kind, ownerId };
  }
  throw new Error('a notification configuration has no owner');
}
