import { sql } from 'kysely';
import { badRequest } from '#path/jsonapi/error.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import type { Store } from '#store/store.ts';
import { operation } from '../../access/needs/operation.ts';
import type { MessageParts, WorkspaceParts } from '../../contract.ts';
import { readNotification } from '../notification-configurations/find.ts';
import { type NotificationRow, notificationOf } from '../notification-configurations/view.ts';
import type { Attempt, Outgoing } from './attempt.ts';
import { mailed } from './mailed.ts';
import { posted } from './posted.ts';

/** Attempts shown in the document of a configuration. */
const deliveriesMax = 10;

/** Sends a message to a receiver and records the result. A failing receiver does not throw. */
export async function deliver(
  store: Pick<Store, 'db' | 'barrier'>,
  parts: MessageParts,
  row: NotificationRow,
  message: Outgoing,
  signal?: AbortSignal,
): Promise<Attempt> {
  const attempt = await (row.settings['destination-type'] === 'email' ? mailed : posted)(
    store,
    parts,
    row,
    message,
    signal,
  );
  if (attempt.delivery === undefined) return attempt;
  await sql`
    update ws_notifications set deliveries = (
      select jsonb_agg(one.value order by one.n)
        from jsonb_array_elements(${JSON.stringify([attempt.delivery])}::jsonb || deliveries) with ordinality one (value, n)
       where one.n <= ${deliveriesMax})
     where id = ${row.id}`.execute(store.db);
  return attempt;
}

/** Sends test messages immediately, outside the queue. */
export const verificationRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'POST',
    path: '/api/v2/notification-configurations/:notification_id/actions/verify',
    summary: 'Send a test message of a notification configuration',
    needs: { notification: 'manage' },
    replies: { 200: 'notification-configurations', 400: 'The receiver did not accept the message' },
    async run({ found }) {
      await verify(parts, found.id);
      return { data: notificationOf(await readNotification(parts.store, found.id)) };
    },
  }),
];

/** @throws ApiError 400 when the receiver does not accept the message */
async function verify(parts: WorkspaceParts, id: string): Promise<void> {
  const row = await readNotification(parts.store, id);
  const message = {
    payload_version: 1,
    notification_configuration_id: row.id,
    notifications: [{ trigger: 'verification' }],
  };
  const payload = { ...message, message: 'Verification of a notification' };
  const { delivery } = await deliver(parts.store, parts, row, { payload, settled: [] });
  if (delivery?.successful !== 'true')
    throw badRequest('the receiver did not accept the message: see delivery-responses');
}
