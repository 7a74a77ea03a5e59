import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import type { NetworkPolicy } from '../policy.ts';
import { type Dial, limitConnect, refuseDial } from './dial.ts';
import { guardedLookup } from './lookup.ts';
import { traceEnd } from './trace-end.ts';
import { trust } from './trust.ts';

/** Agents for SDKs based on node:http. Their keep-alive sockets belong to them alone, so no other policy ever uses them. */
export interface GuardedAgents {
  readonly http: http.Agent;
  readonly https: https.Agent;
  /** Closes idle and active connections. */
  close(): void;
}

/** Maximum connections of one agent to one host and port, and how many of them may be idle. */
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

/** Calls `connect` with the same options but the guarded `lookup`. */
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
  const socket = connect({ ...options, lookup: guardedLookup(policy, dial.port) });
  const secure = ready === 'secureConnect';
  let ended = false;
  const end = (error: Error | null) => {
    if (!ended) traceEnd(policy.trace, dial, secure, error);
    ended = true;
  };
  if (policy.trace !== undefined) socket?.once(ready, () => end(null)).once('error', end);
  return limitConnect(socket, ready, dial, connectMs);
}

// node:http sets the URL's path to null before it dials, so a string here is a Unix socket.
const dialOf = ({ host, port, path, socketPath }: http.ClientRequestArgs): Dial => ({
  host: host ?? 'localhost',
  port: Number(port),
  path: socketPath ?? path,
});

/**
 * Through the callback a refusal becomes the request's `error` event. A thrown error would leave `http.request()` itself and bypass
 * the listeners of most SDKs, so the error is thrown only when there is no callback.
 */
function report(refusal: Error, created: Created | undefined): undefined {
  if (created === undefined) throw refusal;
  // With an error there is no stream, although the callback's type requires one.
  Reflect.apply(created, undefined, [refusal]);
}
