import { sql } from 'kysely';
import { type Resource, timeText, toMany, toOne } from '../../../path/jsonapi/resource.ts';
import type { NotificationSettings } from './fields.ts';
import { type OwnerKind, ownerKinds } from './owners.ts';

/** What came of one attempt to send a message. */
export interface Delivery {
  /** Empty of e-mail. */
  readonly url: string;
  /** Of the answer, by HTTP or SMTP; empty: there was none. */
  readonly code: string;
  readonly 'sent-at': string;
  readonly successful: 'true' | 'false';
  /** Why there was no answer, or what was refused. */
  readonly body: string;
}

export interface NotificationRow {
  readonly id: string;
  readonly organization_id: string;
  /** One of the three is there. */
  readonly workspace_id: string | null;
  readonly project_id: string | null;
  readonly team_id: string | null;
  readonly settings: NotificationSettings;
  /** Sealed; null: requests are not signed. */
  readonly token: Buffer | null;
  readonly deliveries: readonly Delivery[];
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** With whom it sends e-mail to, beside addresses. */
export interface ShownNotification extends NotificationRow {
  readonly user_ids: readonly string[];
}

/** Columns of one, of the table `n`. */
export const shownColumns = sql`n.*, array(
  select u.user_id from ws_notification_users u where u.notification_id = n.id order by u.user_id) as user_ids`;

export const tokenName = (id: string): string => `ws_notifications/${id}`;

/** The token is never read back. */
export function notificationOf(row: ShownNotification): Resource {
  const { id, settings, deliveries, created_at, updated_at } = row;
  const { kind, ownerId } = ownerOf(row);
  return {
    id,
    type: 'notification-configurations',
    attributes: {
      ...{ 'email-addresses': [], ...settings, token: null, 'delivery-responses': deliveries },
      ...{ 'created-at': timeText(created_at), 'updated-at': timeText(updated_at) },
    },
    relationships: {
      subscribable: toOne(kind.type, ownerId),
      'subscribable-choice': toOne(kind.type, ownerId),
      users: toMany('users', row.user_ids),
    },
    links: { self: `/api/v2/notification-configurations/${id}` },
  };
}

/** @throws Error for a row that the store does not let be */
export function ownerOf(row: NotificationRow): { readonly kind: OwnerKind; readonly ownerId: string } {
  for (const kind of ownerKinds) {
    const ownerId = row[kind.column];
    if (ownerId !== null) return { kind, ownerId };
  }
  throw new Error('a notification configuration is of nothing');
}
