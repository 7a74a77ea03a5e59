import { Agent, buildConnector, fetch as undiciFetch } from 'undici';
import { refuseDial } from './dial.ts';
import { guardedLookup } from './lookup.ts';
import type { NetworkPolicy } from './policy.ts';
import { trust } from './trust.ts';

export interface GuardedFetch {
  readonly fetch: typeof globalThis.fetch;
  /** Ends idle connections and those in use. */
  close(): Promise<void>;
}

export interface FetchTimeouts {
  /** Name resolution, TCP and TLS together. */
  readonly connectMs: number;
  /** The whole of one fetch, redirects and reading of the body included. */
  readonly requestMs: number;
}

/** Connections to one origin. */
const connectionsMax = 64;

/**
 * A fetch whose every new connection is checked against `policy`, those of redirects (at most 20, the limit of the fetch
 * standard) included. A refusal is a TypeError that satisfies `isBlocked`. Running out of `requestMs` is an error
 * named `TimeoutError`, out of `connectMs` one with code `UND_ERR_CONNECT_TIMEOUT` as its cause. Proxy variables of the
 * environment are not read.
 */
export function guardedFetch(policy: NetworkPolicy, { connectMs, requestMs }: FetchTimeouts): GuardedFetch {
  const dispatcher = new Agent({
    connect: connector(policy, connectMs),
    connections: connectionsMax,
    headersTimeout: requestMs,
    bodyTimeout: requestMs,
  });
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { url, signal, ...rest } = input instanceof Request ? takeApart(input, init) : { ...plain(init), url: input };
    const deadline = AbortSignal.timeout(requestMs);
    const ends = signal == null ? deadline : AbortSignal.any([signal, deadline]);
    return undiciFetch(url, { ...rest, signal: ends, dispatcher });
  };
  return { fetch, close: () => dispatcher.destroy() };
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

/**
 * Sees each connection before it is made, IP literals included: undici's own `lookup` option never gets those. The real
 * connector is built per connection because its `lookup` has to know the port.
 */
function connector(policy: NetworkPolicy, connectMs: number): buildConnector.connector {
  const secureContext = trust(policy);
  const base = { timeout: connectMs, maxCachedSessions: 0, ...(secureContext !== undefined && { secureContext }) };
  return (options, callback) => {
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
    const refusal = refuseDial(policy, { host: options.hostname, port });
    if (refusal !== undefined) return callback(refusal, null);
    buildConnector({ ...base, lookup: guardedLookup(policy, port) })(options, callback);
  };
}
