import { createHash } from 'node:crypto';
import { header, type Incoming, type Outgoing } from '../wire/exchange.ts';

/** Each reply has an id of its own, also where nothing else differs. */
const requestId = /^\{"request_id":"[^"]*",/;
const tagCharacters = 22;

/**
 * The page reads again and again while it is visible. A reply that the page has already is not sent twice: it gets 304 (RFC 9110,
 * 15.4.5), by a tag of what the caller sees. Rows with a tag of their own keep it.
 */
export function unlessUnchanged({ method, headers }: Incoming, outgoing: Outgoing): Outgoing {
  const { status, body } = outgoing;
  if (method !== 'GET' || status !== 200 || typeof body !== 'string') return outgoing;
  if (outgoing.headers?.['etag'] !== undefined) return outgoing;
  const hash = createHash('sha256').update(body.replace(requestId, '{')).digest('base64url');
  const etag = `"${hash.slice(0, tagCharacters)}"`;
  const tagged = { ...outgoing, headers: { ...outgoing.headers, etag } };
  return header(headers, 'if-none-match') === etag ? { ...tagged, status: 304, body: undefined } : tagged;
}
