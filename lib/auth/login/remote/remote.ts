import { X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type NetworkBounds, readBounds } from '../../../network/bounds.ts';
import { type Call, type GuardedCalls, guardedCalls } from '../../../network/calls.ts';
import type { NetworkPolicy } from '../../../network/policy.ts';
import { callFailure, RemoteFailure, wasCut } from './failure.ts';

/** Calls of auth methods to the systems that know who somebody is. */
export interface Remote {
  /** One call. A redirect is not followed. @throws RemoteFailure */
  ask(question: Question): Promise<Answer>;
  close(): Promise<void>;
}

export interface RemoteParts {
  /** What the operator lets the server call, beside public addresses at ports 80 and 443. */
  readonly bounds: NetworkBounds;
  /** For one call, connecting included. */
  readonly requestMs: number;
}

export interface Question {
  readonly url: URL;
  /** PEM certificates that are trusted instead of those of the system. Empty: those of the system. */
  readonly caCertificates: string;
  readonly bearer?: string;
  /** Beside those of every question. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Is sent as JSON with POST. Absent: GET. */
  readonly body?: object;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  /** The body; undefined where it is no JSON. At most 1 MB of it are read. */
  readonly json: unknown;
}

/** Clients that are kept open, one for each set of certificates and port. */
const clientsMax = 500;
const connectMsMax = 5_000;

export function openRemote({ bounds, requestMs }: RemoteParts): Remote {
  const clients = new LRUCache<string, GuardedCalls>({
    max: clientsMax,
    dispose: (client) => void client.close(),
  });
  const times = { connectMs: Math.min(connectMsMax, requestMs), requestMs };

  function clientFor(url: URL, caCertificates: string): GuardedCalls {
    const policy = policyFor(url, caCertificates, bounds);
    const key = `${policy.allowedPorts[0]} ${caCertificates}`;
    const client = clients.get(key) ?? openClient(policy, times);
    clients.set(key, client, { noDisposeOnSet: true });
    return client;
  }

  return {
    async ask({ url, caCertificates, bearer, headers, body, signal }) {
      const client = clientFor(url, caCertificates);
      const end = performance.now() + times.requestMs;
      const request = requestOf({ bearer, headers, body });
      const once = () => client.call(url, { ...request, msMax: end - performance.now(), signal });
      // A connection that was kept may have been ended at the other side when it is used again. Questions may be asked twice.
      const answer = await once()
        .catch((error) => (wasCut(error) ? once() : Promise.reject(error)))
        .catch((error) => {
          throw callFailure(error);
        });
      if (answer.status >= 300 && answer.status < 400) throw new RemoteFailure('it redirects, which is not followed');
      return { status: answer.status, json: asJson(answer.text) };
    },
    async close() {
      const open = [...clients.values()];
      clients.clear();
      await Promise.all(open.map((client) => client.close()));
    },
  };
}

const requestMsUsual = 10_000;

/** May call public addresses only. */
export const publicRemote = (): Remote => openRemote({ bounds: readBounds(), requestMs: requestMsUsual });

/** The address comes from who may configure the mount; what is not public, the operator has to have opened. */
const policyFor = (url: URL, caCertificates: string, bounds: NetworkBounds): NetworkPolicy => ({
  disabled: false,
  allowedIpv4: ['0.0.0.0/0'],
  allowedIpv6: ['::/0'],
  allowedPorts: [Number(url.port) || (url.protocol === 'https:' ? 443 : 80)],
  caCertificates: caCertificates === '' ? undefined : caCertificates,
  caCertificatesOnly: true,
  bounds,
});

function openClient(policy: NetworkPolicy, times: { readonly connectMs: number; readonly requestMs: number }) {
  try {
    // A text without a certificate makes a client that trusts nobody and does not say why.
    if (policy.caCertificates !== undefined) new X509Certificate(policy.caCertificates);
    return guardedCalls(policy, times);
  } catch {
    throw new RemoteFailure('the CA certificates that are configured for it cannot be read');
  }
}

type Asked = { readonly [Member in 'bearer' | 'headers' | 'body']: Question[Member] | undefined };

function requestOf({ bearer, headers, body }: Asked): Pick<Call, 'method' | 'headers' | 'body'> {
  return {
    method: body === undefined ? ('GET' as const) : ('POST' as const),
    headers: {
      ...headers,
      accept: 'application/json',
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
