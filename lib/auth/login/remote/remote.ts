import { X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { NetworkBounds } from '#network/bounds.ts';
import { type Call, type GuardedCalls, guardedCalls } from '#network/calls.ts';
import type { NetworkPolicy } from '#network/policy.ts';
import { callFailure, RemoteFailure, wasCut } from './failure.ts';

/** Calls of auth methods to the systems that confirm identities. */
export interface Remote {
  /** Makes one call without following redirects. @throws RemoteFailure */
  ask(question: Question): Promise<Answer>;
  close(): Promise<void>;
}

export interface RemoteParts {
  /** Addresses that the operator allows in addition to public ones at the ports 80 and 443. */
  readonly bounds: NetworkBounds;
  /** Limit of one call, including the connection. */
  readonly requestMs: number;
}

export interface Question {
  readonly url: URL;
  /** PEM certificates to trust in place of those of the system. Empty to trust those of the system. */
  readonly caCertificates: string;
  readonly bearer?: string;
  /** Headers in addition to the common ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON with POST. Absent for a GET. */
  readonly body?: object;
  /** Sent as a form with POST, in place of `body`. */
  readonly form?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  /** The parsed body, of at most 1 MB. Undefined when it is not JSON. */
  readonly json: unknown;
}

/** Bound of the open clients: one for each port and set of certificates. */
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
    async ask({ url, caCertificates, bearer, headers, body, form, signal }) {
      const client = clientFor(url, caCertificates);
      const end = performance.now() + times.requestMs;
      const request = requestOf({ bearer, headers, ...sentAs(body, form) });
      const once = () => client.call(url, { ...request, msMax: end - performance.now(), signal });
      // The other side may have closed an idle connection. Repeating a call is safe.
      const answer = await once()
        .catch((error) => (wasCut(error) ? once() : Promise.reject(error)))
        .catch((error) => {
          throw callFailure(error);
        });
      if (answer.status >= 300 && answer.status < 400)
        throw new RemoteFailure('its reply is a redirect, which is not followed');
      return { status: answer.status, json: asJson(answer.text) };
    },
    async close() {
      const open = [...clients.values()];
      clients.clear();
      await Promise.all(open.map((client) => client.close()));
    },
  };
}

/** A user who configures the mount chooses the address, so addresses that are not public need the permission of the operator. */
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
    // A text without a certificate would make a client that trusts no server, without an error.
    if (policy.caCertificates !== undefined) new X509Certificate(policy.caCertificates);
    return guardedCalls(policy, times);
  } catch {
    throw new RemoteFailure('its configured CA certificates cannot be parsed');
  }
}

/** A body with its media type. */
interface Sent {
  readonly text?: string;
  readonly type?: string;
}

function sentAs(body: object | undefined, form: Readonly<Record<string, string>> | undefined): Sent {
  if (form !== undefined)
    return { text: new URLSearchParams(form).toString(), type: 'application/x-www-form-urlencoded' };
  return body === undefined ? {} : { text: JSON.stringify(body), type: 'application/json' };
}

type Asked = { readonly [Member in 'bearer' | 'headers']: Question[Member] | undefined } & Sent;

function requestOf({ bearer, headers, text, type }: Asked): Pick<Call, 'method' | 'headers' | 'body'> {
  return {
    method: text === undefined ? ('GET' as const) : ('POST' as const),
    headers: {
      ...headers,
      accept: 'application/json',
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(type === undefined ? {} : { 'content-type': type }),
    },
    ...(text === undefined ? {} : { body: text }),
  };
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
