import { createHmac } from 'node:crypto';
import { blockedMessage } from '#network/blocked.ts';
import { errorChain } from '#network/error-chain.ts';
import { type Webhooks, webhookTimes } from '#network/webhooks.ts';
import type { Target } from '../receivers/notification.ts';

/** What is sent. Retries repeat the id and the body, so that a receiver can tell them from another message. */
export interface Message {
  readonly id: string;
  readonly kind: string;
  readonly body: string;
}

/** What one attempt came to. */
export interface Attempt {
  readonly delivered: boolean;
  /** HTTP status; null without an answer. */
  readonly status: number | null;
  /** Null when it was delivered. Quotes nothing of the answer, and of the address only the host. */
  readonly error: string | null;
}

/** Sends a message once. Undefined when `signal` aborted the call. A receiver that fails does not throw. */
export async function post(
  webhooks: Pick<Webhooks, 'post'>,
  { url, secret }: Target,
  { id, kind, body }: Message,
  at: Date,
  signal?: AbortSignal,
): Promise<Attempt | undefined> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'keyferry',
    'keyferry-event': kind,
    'keyferry-delivery': id,
    'keyferry-timestamp': timestamp,
    'keyferry-signature': `v1=${signatureOf(secret.reveal(), timestamp, body)}`,
  };
  try {
    const status = await webhooks.post(url, { headers, body }, signal);
    const delivered = status >= 200 && status < 300;
    return { delivered, status, error: delivered ? null : `the receiver answered ${status}${redirectAdvice(status)}` };
  } catch (cause) {
    if (signal?.aborted === true) return undefined;
    return { delivered: false, status: null, error: reasonOf(cause) };
  }
}

/** HMAC-SHA-256 of the time, a period and the body, in hexadecimal digits. */
export const signatureOf = (secret: string, timestamp: string, body: string): string =>
  createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');

const redirectAdvice = (status: number): string =>
  status >= 300 && status < 400 ? ': redirects are not followed, so write the final address' : '';

const reasonCharactersMax = 500;

function reasonOf(cause: unknown): string {
  const blocked = blockedMessage(cause);
  if (blocked !== undefined) return blocked.slice(0, reasonCharactersMax);
  const chain = errorChain(cause);
  if (chain.some(({ name }) => name === 'TimeoutError'))
    return `no answer within ${webhookTimes.requestMs / 1_000} seconds`;
  // Messages of errors may quote the address, whose path may be a credential; codes do not.
  const code = chain.flatMap((one) => ('code' in one && typeof one.code === 'string' ? [one.code] : [])).at(-1);
  return `no answer: ${code ?? 'the connection failed'}`.slice(0, reasonCharactersMax);
}
