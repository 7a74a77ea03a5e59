import { fetch as undiciFetch } from 'undici';
import { answerBytesMax, listingBytesMax, readBounded } from './answer-size.ts';
import { guardedDispatcher } from './connection/dispatcher.ts';
import type { NetworkPolicy } from './policy.ts';
import { StrangeAnswer } from './strange-answer.ts';

export interface GuardedFetch {
  /** For replies of up to 1 MB. */
  readonly fetch: typeof globalThis.fetch;
  /** For replies of up to 64 MB, such as lists of objects with their values. */
  readonly fetchListing: typeof globalThis.fetch;
  /** Closes idle and active connections. */
  close(): Promise<void>;
}

export interface FetchTimeouts {
  /** Deadline for name resolution, TCP and TLS together. */
  readonly connectMs: number;
  /** Deadline for one whole fetch, including redirects and reading the body. */
  readonly requestMs: number;
}

export interface FetchOptions extends FetchTimeouts {
  /**
   * Called with the credential in each request's Authorization header, so that it can be hidden in errors. Undefined when the
   * caller sends no credential, or only one that it hides itself.
   */
  readonly obtained: ((credential: string) => void) | undefined;
}

/**
 * A fetch whose every new connection is checked against `policy`, including those of redirects (at most 20, the limit of the fetch
 * standard). A refusal is a TypeError that satisfies `isBlocked`. Exceeding `requestMs` is an error named `TimeoutError`; exceeding
 * `connectMs` is an error whose cause has the code `UND_ERR_CONNECT_TIMEOUT`. Replies arrive complete; an oversized one is a
 * `StrangeAnswer`. Proxy variables of the environment are ignored.
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

/** The credential of the header, without its scheme. */
function reportCredential(headers: Headers, obtained: (credential: string) => void): void {
  const credential = headers.get('authorization')?.replace(/^\S+\s+/, '');
  if (credential !== undefined) obtained(credential);
}

/** Statuses of replies without a body. */
const bodiless: readonly number[] = [204, 205, 304];

/** The reply with its complete body. */
async function whole(answer: Response, bytesMax: number): Promise<Response> {
  const { status, statusText, headers, url, redirected } = answer;
  const bytes = await readBounded(answer, bytesMax);
  if (status < 200 || status > 599) throw new StrangeAnswer(`its status is ${status}`);
  const body = bodiless.includes(status) ? null : bytes;
  const made = new Response(body, { status, statusText, headers: [...headers] });
  return Object.defineProperties(made, { url: { value: url }, redirected: { value: redirected } });
}

// This undici does not recognize Request, Headers and FormData of Node's built-in fetch; a Request would be sent as the
// string "[object Request]".
function takeApart(request: Request, init: RequestInit | undefined) {
  const { url, method, headers, body, redirect, signal } = request;
  return { method, headers: [...headers], body, redirect, signal, duplex: 'half' as const, ...plain(init), url };
}

function plain({ body, headers, ...rest }: RequestInit = {}) {
  if (body instanceof FormData) throw new TypeError('a guarded fetch does not accept FormData');
  return {
    ...rest,
    ...(headers !== undefined && { headers: [...new Headers(headers)] }),
    ...(body !== undefined && { body }),
  };
}
