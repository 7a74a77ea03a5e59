import { Agent, buildConnector, errors } from 'undici';
import { startStopwatch, systemClock } from '#core/clock.ts';
import type { NetworkPolicy } from '../policy.ts';
import { refuseDial } from './dial.ts';
import { guardedLookup } from './lookup.ts';
import { traceEnd } from './trace-end.ts';
import { trust } from './trust.ts';

export interface DispatcherTimeouts {
  /** Deadline for name resolution, TCP and TLS together. */
  readonly connectMs: number;
  /** Deadline for the headers of a reply, and between two chunks of its body. */
  readonly requestMs: number;
}

/** Maximum connections to one origin. */
const connectionsMax = 64;
/** Maximum size of one reply. */
const headerBytesMax = 16 * 1024;

/** An undici dispatcher whose every new connection is checked against `policy`. Proxy variables of the environment are ignored. */
export const guardedDispatcher = (policy: NetworkPolicy, { connectMs, requestMs }: DispatcherTimeouts): Agent =>
  new Agent({
    connect: connector(policy, connectMs),
    connections: connectionsMax,
    headersTimeout: requestMs,
    bodyTimeout: requestMs,
    maxHeaderSize: headerBytesMax,
  });

/**
 * Checks each connection before it is made, including IP literals, which undici's own `lookup` option never receives. The real
 * connector is built per connection because its `lookup` must know the port.
 */
function connector(policy: NetworkPolicy, connectMs: number): buildConnector.connector {
  const secureContext = trust(policy);
  const base = { timeout: connectMs, maxCachedSessions: 0, ...(secureContext !== undefined && { secureContext }) };
  return (options, callback) => {
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
    const refusal = refuseDial(policy, { host: options.hostname, port });
    if (refusal !== undefined) return callback(refusal, null);
    const target = { host: options.hostname, port };
    buildConnector({ ...base, lookup: guardedLookup(policy, port) })(
      options,
      unlessLate(connectMs, (...connected) => {
        traceEnd(policy.trace, target, options.protocol === 'https:', connected[0]);
        callback(...connected);
      }),
    );
  };
}

/** After a freeze of the process, a socket may connect before the connector's own timer runs; nothing is sent over it. */
function unlessLate(connectMs: number, callback: buildConnector.Callback): buildConnector.Callback {
  const elapsedMs = startStopwatch(systemClock);
  return (...connected) => {
    const [failure, socket] = connected;
    if (failure !== null || elapsedMs() < connectMs) return callback(...connected);
    socket.destroy();
    callback(new errors.ConnectTimeoutError(`connecting took longer than ${connectMs} ms`), null);
  };
}
