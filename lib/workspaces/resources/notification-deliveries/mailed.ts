import { isMailAddress } from '#core/settings/smtp.ts';
import type { MailResult } from '#network/mail.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { MessageParts } from '../../contract.ts';
import { recipientsMax } from '../notification-configurations/fields.ts';
import type { Delivery, NotificationRow } from '../notification-configurations/view.ts';
import type { Attempt, Outgoing } from './attempt.ts';
import { textOf, titleOf } from './text.ts';

/** Sends a message by e-mail to all recipients at once. Recipients that the server rejects permanently do not delay later messages. */
export async function mailed(
  store: Pick<Store, 'db'>,
  { mail }: Pick<MessageParts, 'mail'>,
  row: NotificationRow,
  { payload, settled }: Outgoing,
  signal?: AbortSignal,
): Promise<Attempt> {
  const sentAt = new Date().toISOString();
  const noted = (code: string, body: string): Delivery => ({
    url: '',
    code,
    'sent-at': sentAt,
    successful: code.startsWith('2') && body === '' ? 'true' : 'false',
    body,
  });
  if (mail === undefined)
    return { delivery: noted('', 'no mail server: KEYFERRY_SMTP_URL is not set'), taken: false, settled };
  const to = (await recipientsOf(store, row)).filter((one) => !settled.includes(one));
  if (to.length === 0) return { delivery: noted('', 'no recipients'), taken: true, settled };
  const result = await mail.send({ to, subject: titleOf(payload), text: textOf(payload) }, signal);
  if (signal?.aborted === true && result.code === '') return { delivery: undefined, taken: false, settled };
  const done = result.accepted.length === 0 ? [] : [...result.accepted, ...result.refused];
  return {
    delivery: noted(result.code, shortfallOf(result, to.length)),
    taken: done.length >= to.length,
    settled: [...settled, ...done],
  };
}

function shortfallOf({ accepted, reason }: MailResult, sent: number): string {
  if (accepted.length === 0) return reason;
  return accepted.length < sent ? `${sent - accepted.length} of ${sent} recipients were refused` : '';
}

/** Addresses in lower case without duplicates. Users count only while they are members of the organization. */
async function recipientsOf({ db }: Pick<Store, 'db'>, { id, settings }: NotificationRow): Promise<readonly string[]> {
  const { rows } = await rowsOf({ email: text })`
    select u.email from ws_notification_users n
      join ws_memberships m on m.organization_id = n.organization_id and m.user_id = n.user_id and m.status = 'active'
      join ws_users u on u.id = n.user_id and not u.suspended
     where n.notification_id = ${id} order by u.email limit ${recipientsMax}`.execute(db);
  const all = [...(settings['email-addresses'] ?? []), ...rows.map(({ email }) => email)];
  return [...new Set(all.filter(isMailAddress).map((one) => one.toLowerCase()))];
}
