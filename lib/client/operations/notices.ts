import type { Operation } from '../operation.ts';

const settings = ['url', 'secret', 'new_secret', 'kinds', 'destinations', 'disabled'] as const;

/** Requests below `sys/sync/events` and `sys/sync/notifications`. */
export const notices = {
  readEvents: { method: 'GET', path: 'sys/sync/events', fields: ['after', 'limit', 'wait'] },
  listNotifications: { method: 'LIST', path: 'sys/sync/notifications' },
  readNotification: { method: 'GET', path: 'sys/sync/notifications/{name}' },
  writeNotification: { method: 'POST', path: 'sys/sync/notifications/{name}', fields: settings },
  deleteNotification: { method: 'DELETE', path: 'sys/sync/notifications/{name}' },
  testNotification: { method: 'POST', path: 'sys/sync/notifications/{name}/test' },
  listDeliveries: {
    method: 'GET',
    path: 'sys/sync/notifications/{name}/deliveries',
    fields: ['state', 'limit', 'after'],
  },
  readDelivery: { method: 'GET', path: 'sys/sync/notifications/{name}/deliveries/{id}' },
  redeliver: { method: 'POST', path: 'sys/sync/notifications/{name}/deliveries/{id}/redeliver' },
} as const satisfies Record<string, Operation>;
