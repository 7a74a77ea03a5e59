import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { limitConnect } from '../deadline.ts';
import type { NetworkPolicy } from '../policy.ts';
import { type Dial, refuseDial } from './dial.ts';
import { guardedLookup } from './lookup.ts';
import { trust } from './trust.ts';

/** For SDKs on node:http. Sockets are kept alive and belong to these two agents, so no other policy ever uses them. */
export interface GuardedAgents {
  readonly http: http.Agent;
  readonly https: https.Agent;
  /** Ends idle connections and those in use. */
  close(): void;
}

/** Connections of one agent to one host and port, and those of them kept idle. */
const socketsMax = 64;
const idleSocketsMax = 16;

/**
 * Agents whose every new connection is checked against `policy`: the port and IP literals before dialling, the addresses of
 * names after they were resolved. A refusal arrives as the request's `error` event and satisfies `isBlocked`.
 * `connectMs` bounds name resolution, TCP and TLS together; beyond it the request fails with code `ETIMEDOUT`.
 * Redirects open further connections through the same agents. Proxy variables of the environment are not read.
 */
export function guardedAgents(policy: NetworkPolicy, { connectMs }: { readonly connectMs: number }): GuardedAgents {
  const limits = { keepAlive: true, maxSockets: socketsMax, maxFreeSockets: idleSocketsMax };
  const secureContext = trust(policy);
  const guard = { policy, connectMs };
  const plain = new GuardedHttpAgent(limits, guard);
  const tls = new GuardedHttpsAgent(secureContext === undefined ? limits : { ...limits, secureContext }, guard);
  return {
    http: plain,
    https: tls,
    close: () => {
      plain.destroy();
      tls.destroy();
    },
  };
}

interface Guard {
  readonly policy: NetworkPolicy;
  readonly connectMs: number;
}

type Created = (error: Error | null, stream: Duplex) => void;
type Socket = Duplex | null | undefined;

class GuardedHttpAgent extends http.Agent {
  readonly #guard: Guard;

  constructor(options: http.AgentOptions, guard: Guard) {
    super(options);
    this.#guard = guard;
  }

  override createConnection(options: http.ClientRequestArgs, created?: Created): Socket {
    return connectGuarded(this.#guard, options, created, 'connect', (safe) => super.createConnection(safe));
  }
}

class GuardedHttpsAgent extends https.Agent {
  readonly #guard: Guard;

  constructor(options: https.AgentOptions, guard: Guard) {
    super(options);
    this.#guard = guard;
  }

  override createConnection(options: https.RequestOptions, created?: Created): Socket {
    return connectGuarded(this.#guard, options, created, 'secureConnect', (safe) => super.createConnection(safe));
  }
}

/** `connect` gets the same options with our `lookup`, whatever lookup they had. */
function connectGuarded<Options extends http.ClientRequestArgs>(
  { policy, connectMs }: Guard,
  options: Options,
  created: Created | undefined,
  ready: 'connect' | 'secureConnect',
  connect: (options: Options) => Socket,
): Socket {
  const dial = dialOf(options);
  const refusal = refuseDial(policy, dial);
  if (refusal !== undefined) return report(refusal, created);
  return limitConnect(connect({ ...options, lookup: guardedLookup(policy, dial.port) }), ready, dial, connectMs);
}

// node:http puts the URL's path aside (null) before it dials: a text here is a Unix socket.
const dialOf = ({ host, port, path, socketPath }: http.ClientRequestArgs): Dial => ({
  host: host ?? 'localhost',
  port: Number(port),
  path: socketPath ?? path,
});

/**
 * Through the callback a refusal becomes the request's `error` event; an error thrown here would come out of `http.request()`
 * itself, past the listeners of most SDKs. Who dials without a callback gets it thrown.
 */
function report(refusal: Error, created: Created | undefined): undefined {
  if (created === undefined) throw refusal;
  // With an error there is no stream; the callback's type does not say so.
  Reflect.apply(created, undefined, [refusal]);
}
