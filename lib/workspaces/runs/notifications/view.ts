import { type Resource, timeText, toMany, toOne } from '../../../path/jsonapi/resource.ts';
import type { NotificationSettings } from './fields.ts';

/** What came of one attempt to tell somebody. */
export interface Delivery {
  readonly url: string;
  /** Of the answer; empty: there was none. */
  readonly code: string;
  readonly 'sent-at': string;
  readonly successful: 'true' | 'false';
  /** Why there was no answer. */
  readonly body: string;
}

export interface NotificationRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly settings: NotificationSettings;
  /** Sealed; null: requests are not signed. */
  readonly token: Buffer | null;
  readonly deliveries: readonly Delivery[];
  readonly created_at: Date;
  readonly updated_at: Date;
}

export const tokenName = (id: string): string => `ws_notifications/${id}`;

/** The token is never read back. */
export const notificationOf = ({
  id,
  workspace_id,
  settings,
  deliveries,
  created_at,
  updated_at,
}: NotificationRow): Resource => ({
  id,
  type: 'notification-configurations',
  attributes: {
    ...{ ...settings, token: null, 'email-addresses': [], 'delivery-responses': deliveries },
    ...{ 'created-at': timeText(created_at), 'updated-at': timeText(updated_at) },
  },
  relationships: {
    subscribable: toOne('workspaces', workspace_id),
    'subscribable-choice': toOne('workspaces', workspace_id),
    users: toMany('users', []),
  },
  links: { self: `/api/v2/notification-configurations/${id}` },
});
