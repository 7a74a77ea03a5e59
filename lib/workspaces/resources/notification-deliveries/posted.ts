import { createHmac } from 'node:crypto';
import type { Store } from '#store/store.ts';
import type { MessageParts } from '../../contract.ts';
import { type Candidate, type Delivery, tokenName } from '../notification-configurations/view.ts';
import type { Attempt, Outgoing } from './attempt.ts';
import { formOf } from './forms.ts';

const reasonCharactersMax = 200;

/** Posts a payload. A token signs the body (`X-TFE-Notification-Signature`, HMAC-SHA-512 in hexadecimal digits). */
export async function posted(
  store: Pick<Store, 'barrier'>,
  { webhooks }: Pick<MessageParts, 'webhooks'>,
  row: Candidate,
  { payload }: Outgoing,
  signal?: AbortSignal,
): Promise<Attempt> {
  const { 'destination-type': type, url } = row.settings;
  if (type === 'email') throw new Error('e-mail is not posted');
  const body = JSON.stringify(formOf(type, payload));
  const sent = { body, signature: signatureOf(store, row, body), signal };
  const delivery = await post(webhooks, url ?? '', sent);
  const cutShort = signal?.aborted === true && delivery.code === '';
  return { delivery: cutShort ? undefined : delivery, taken: delivery.successful === 'true', settled: [] };
}

function signatureOf({ barrier }: Pick<Store, 'barrier'>, { id, token }: Candidate, body: string): object {
  if (token === null) return {};
  const key = barrier.open(token, tokenName(id));
  return { 'x-tfe-notification-signature': createHmac('sha512', key).update(body).digest('hex') };
}

async function post(
  webhooks: MessageParts['webhooks'],
  url: string,
  {
    body,
    signature,
    signal,
  }: { readonly body: string; readonly signature: object; readonly signal: AbortSignal | undefined },
): Promise<Delivery> {
  const sent = { url: withoutQuery(url), 'sent-at': new Date().toISOString() };
  const headers = { 'content-type': 'application/json', ...signature };
  try {
    const status = await webhooks.post(url, { headers, body }, signal);
    const successful = status >= 200 && status < 300 ? 'true' : 'false';
    return { ...sent, code: String(status), successful, body: '' };
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown error';
    return { ...sent, code: '', successful: 'false', body: `no answer: ${reason}`.slice(0, reasonCharactersMax) };
  }
}

/** Webhook addresses contain secrets in their queries, and often in their paths. */
const withoutQuery = (url: string): string => new URL(url).origin;
