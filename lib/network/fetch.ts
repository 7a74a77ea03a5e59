import { fetch as undiciFetch } from 'undici';
import { answerBytesMax, listingBytesMax, readBounded } from './answer-size.ts';
import { guardedDispatcher } from './connection/dispatcher.ts';
import type { NetworkPolicy } from './policy.ts';
import { StrangeAnswer } from './strange-answer.ts';

export interface GuardedFetch {
  /** For answers of up to 1 MB. */
  readonly fetch: typeof globalThis.fetch;
  /** For answers of up to 64 MB: lists of objects with their values. */
  readonly fetchListing: typeof globalThis.fetch;
  /** Ends idle connections and those in use. */
  close(): Promise<void>;
}

export interface FetchTimeouts {
  /** Name resolution, TCP and TLS together. */
  readonly connectMs: number;
  /** The whole of one fetch, redirects and reading of the body included. */
  readonly requestMs: number;
}

export interface FetchOptions extends FetchTimeouts {
  /** Is called with the credential in each request's header Authorization. */
  readonly obtained?: ((credential: string) => void) | undefined;
}

/**
 * A fetch whose every new connection is checked against `policy`, those of redirects (at most 20, the limit of the fetch
 * standard) included. A refusal is a TypeError that satisfies `isBlocked`. Running out of `requestMs` is an error
 * named `TimeoutError`, out of `connectMs` one with code `UND_ERR_CONNECT_TIMEOUT` as its cause. An answer comes whole, and
 * one that is larger than it may be is a `StrangeAnswer`. Proxy variables of the environment are not read.
 */
export function guardedFetch(policy: NetworkPolicy, { connectMs, requestMs, obtained }: FetchOptions): GuardedFetch {
  const dispatcher = guardedDispatcher(policy, { connectMs, requestMs });
  const upTo =
    (bytesMax: number): typeof globalThis.fetch =>
    async (input, init) => {
      const { url, signal, ...rest } =
        input instanceof Request ? takeApart(input, init) : { ...plain(init), url: input };
      const deadline = AbortSignal.timeout(requestMs);
      const ends = signal == null ? deadline : AbortSignal.any([signal, deadline]);
      if (obtained !== undefined) reportCredential(new Headers(rest.headers ?? {}), obtained);
      return whole(await undiciFetch(url, { ...rest, signal: ends, dispatcher }), bytesMax);
    };
  return { fetch: upTo(answerBytesMax), fetchListing: upTo(listingBytesMax), close: () => dispatcher.destroy() };
}

/** The header is a scheme and a credential. */
function reportCredential(headers: Headers, obtained: (credential: string) => void): void {
  const credential = headers.get('authorization')?.replace(/^\S+\s+/, '');
  if (credential !== undefined) obtained(credential);
}

/** Statuses of answers that have no body. */
const bodiless: readonly number[] = [204, 205, 304];

/** The answer with its body, which has come by now. */
async function whole(answer: Response, bytesMax: number): Promise<Response> {
  const { status, statusText, headers, url, redirected } = answer;
  const bytes = await readBounded(answer, bytesMax);
  if (status < 200 || status > 599) throw new StrangeAnswer(`its status is ${status}`);
  const body = bodiless.includes(status) ? null : bytes;
  const made = new Response(body, { status, statusText, headers: [...headers] });
  return Object.defineProperties(made, { url: { value: url }, redirected: { value: redirected } });
}

// Trap: this undici takes Request, Headers and FormData of Node's built-in fetch for strangers; a Request would be sent as
// the text "[object Request]".
function takeApart(request: Request, init: RequestInit | undefined) {
  const { url, method, headers, body, redirect, signal } = request;
  return { method, headers: [...headers], body, redirect, signal, duplex: 'half' as const, ...plain(init), url };
}

function plain({ body, headers, ...rest }: RequestInit = {}) {
  if (body instanceof FormData) throw new TypeError('a guarded fetch takes no FormData');
  return {
    ...rest,
    ...(headers !== undefined && { headers: [...new Headers(headers)] }),
    ...(body !== undefined && { body }),
  };
}
