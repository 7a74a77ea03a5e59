import { Agent, buildConnector, errors } from 'undici';
import { startStopwatch, systemClock } from '../../core/clock.ts';
import type { NetworkPolicy } from '../policy.ts';
import { refuseDial } from './dial.ts';
import { guardedLookup } from './lookup.ts';
import { trust } from './trust.ts';

export interface DispatcherTimeouts {
  /** Name resolution, TCP and TLS together. */
  readonly connectMs: number;
  /** Until the head of an answer, and between two pieces of its body. */
  readonly requestMs: number;
}

/** Connections to one origin. */
const connectionsMax = 64;
/** Of one answer. */
const headerBytesMax = 16 * 1024;

/** What undici calls with, whose every new connection is checked against `policy`. Proxy variables of the environment are not read. */
export const guardedDispatcher = (policy: NetworkPolicy, { connectMs, requestMs }: DispatcherTimeouts): Agent =>
  new Agent({
    connect: connector(policy, connectMs),
    connections: connectionsMax,
    headersTimeout: requestMs,
    bodyTimeout: requestMs,
    maxHeaderSize: headerBytesMax,
  });

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
    buildConnector({ ...base, lookup: guardedLookup(policy, port) })(options, unlessLate(connectMs, callback));
  };
}

/** What was frozen meanwhile is connected before the connector's own timer runs; nothing is sent over it any more. */
function unlessLate(connectMs: number, callback: buildConnector.Callback): buildConnector.Callback {
  const elapsedMs = startStopwatch(systemClock);
  return (...connected) => {
    const [failure, socket] = connected;
    if (failure !== null || elapsedMs() < connectMs) return callback(...connected);
    socket.destroy();
    callback(new errors.ConnectTimeoutError(`connecting took longer than ${connectMs} ms`), null);
  };
}
