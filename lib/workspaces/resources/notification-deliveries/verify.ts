import { badRequest } from '#path/jsonapi/error.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { readNotification } from '../notification-configurations/find.ts';
import { notificationOf, type Verify } from '../notification-configurations/view.ts';
import { deliver } from './deliver.ts';
import { posted } from './posted.ts';

/** Sends test messages immediately, outside the queue. */
export const verificationRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'POST',
    path: '/api/v2/notification-configurations/:notification_id/actions/verify',
    summary: 'Send a test message of a notification configuration',
    needs: { notification: 'manage' },
    replies: { 200: 'notification-configurations', 400: 'The receiver did not accept the message' },
    async run({ found }) {
      const row = await readNotification(parts.store, found.id);
      const { delivery } = await deliver(parts.store, parts, row, messageTo(row));
      if (delivery?.successful !== 'true') throw refused();
      return { data: notificationOf(await readNotification(parts.store, found.id)) };
    },
  }),
];

/** Sends a test message to a webhook that is about to be stored. E-mail is only verified when it is asked for. */
export const verifier =
  (parts: WorkspaceParts): Verify =>
  async (candidate) => {
    if (candidate.settings['destination-type'] === 'email') return undefined;
    const { delivery } = await posted(parts.store, parts, candidate, messageTo(candidate));
    if (delivery?.successful !== 'true') throw refused(delivery?.code);
    return delivery;
  };

const refused = (code?: string) =>
  badRequest(
    code === undefined
      ? 'the receiver did not accept the message: see delivery-responses'
      : `the receiver did not accept the verification request (${code === '' ? 'no answer' : code}): nothing was changed`,
  );

/** The members of a message about a run, without a run. */
const messageTo = ({ id, settings: { name } }: Parameters<Verify>[0]) => ({
  payload: {
    payload_version: 1,
    notification_configuration_id: id,
    run_url: null,
    run_id: null,
    run_message: null,
    run_created_at: null,
    run_created_by: null,
    workspace_id: null,
    workspace_name: null,
    organization_name: null,
    notifications: [
      {
        message: `Verification of ${name}`,
        trigger: 'verification',
        run_status: null,
        run_updated_at: null,
        run_updated_by: null,
      },
    ],
  },
  settled: [],
});
