import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import type { GuardedFetch } from '../../../network/fetch.ts';
import type { Store } from '../../../store/store.ts';
import { type Delivery, type NotificationRow, tokenName } from './view.ts';

/** Attempts that a configuration shows. */
const deliveriesMax = 10;
const reasonCharactersMax = 200;

/**
 * Posts a payload to who wants to know of it, and notes what came of it. A token signs the body
 * (`X-TFE-Notification-Signature`, HMAC-SHA-512 in hexadecimal digits). It does not throw for a receiver that fails.
 *
 * @returns whether the receiver took it
 */
export async function deliver(
  store: Pick<Store, 'db' | 'barrier'>,
  guarded: Pick<GuardedFetch, 'fetch'>,
  row: NotificationRow,
  payload: object,
  signal?: AbortSignal,
): Promise<boolean> {
  const body = JSON.stringify(payloadFor(row, payload));
  const delivery = await post(guarded, row.settings.url, { body, signature: signatureOf(store, row, body), signal });
  if (signal?.aborted === true && delivery.code === '') return false;
  await sql`
    update ws_notifications set deliveries = (
      select jsonb_agg(one.value order by one.n)
        from jsonb_array_elements(${JSON.stringify([delivery])}::jsonb || deliveries) with ordinality one (value, n)
       where one.n <= ${deliveriesMax})
     where id = ${row.id}`.execute(store.db);
  return delivery.successful === 'true';
}

/** Chats take a text. */
const payloadFor = ({ settings }: NotificationRow, payload: object): object =>
  settings['destination-type'] === 'generic' ? payload : { text: textOf(payload) };

const textOf = (payload: object): string =>
  Object.entries(payload)
    .filter(([, value]) => typeof value === 'string')
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

function signatureOf({ barrier }: Pick<Store, 'barrier'>, { id, token }: NotificationRow, body: string): object {
  if (token === null) return {};
  const key = barrier.open(token, tokenName(id));
  return { 'x-tfe-notification-signature': createHmac('sha512', key).update(body).digest('hex') };
}

/** What the receiver says is not kept: it may echo what it was sent. */
async function post(
  { fetch }: Pick<GuardedFetch, 'fetch'>,
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
    const { status } = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      ...(signal === undefined ? {} : { signal }),
    });
    const successful = status >= 200 && status < 300 ? 'true' : 'false';
    return { ...sent, code: String(status), successful, body: '' };
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown error';
    return { ...sent, code: '', successful: 'false', body: `no answer: ${reason}`.slice(0, reasonCharactersMax) };
  }
}

/** Addresses of webhooks hold secrets in their queries, and often in their paths. */
const withoutQuery = (url: string): string => new URL(url).origin;
