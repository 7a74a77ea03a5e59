import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { startStopwatch, systemClock } from '#core/clock.ts';
import { BlockedConnection } from '../blocked.ts';
import { decide, decidePort, type NetworkPolicy } from '../policy.ts';

/** The target of a connection, in the terms of `net.connect`. */
export interface Dial {
  readonly host: string;
  readonly port: number;
  /** Path of a Unix socket. */
  readonly path?: string | null | undefined;
}

/**
 * Checks a target before a socket is created: Unix sockets, ports, and IP literals, which no `lookup` hook ever sees. URL parsing
 * has already turned forms like `2130706433` and `0x7f.1` into literals; without a URL, `lookup` receives them.
 */
export function refuseDial(policy: NetworkPolicy, dial: Dial): BlockedConnection | undefined {
  const refusal = refusalOf(policy, dial);
  if (refusal !== undefined)
    policy.trace?.({ host: dial.host, port: dial.port, step: 'address', failure: refusal.message });
  return refusal;
}

function refusalOf(policy: NetworkPolicy, { host, port, path }: Dial): BlockedConnection | undefined {
  if (typeof path === 'string' && path !== '')
    return new BlockedConnection({ host: `unix:${path}`, port }, [unixSocket]);
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) !== 0) return refused({ host: bare, address: bare, port }, decide(policy, bare, port));
  const refusal = decidePort(policy, port);
  return refusal === undefined ? undefined : new BlockedConnection({ host, port }, [refusal]);
}

// Even with the guard disabled, an external system is never a local socket.
const unixSocket = { reason: 'Unix sockets are never used', field: undefined };

function refused(
  target: BlockedConnection['target'],
  refusals: ReturnType<typeof decide>,
): BlockedConnection | undefined {
  return refusals.length === 0 ? undefined : new BlockedConnection(target, refusals);
}

/** The connection was not ready in time. SDKs recognize its code as a timeout. */
class ConnectTimeout extends Error {
  readonly code = 'ETIMEDOUT';

  constructor({ host, port }: Dial, connectMs: number) {
    super(`connecting to ${host} port ${port} took longer than ${connectMs} ms`);
    this.name = 'ConnectTimeout';
  }
}

/**
 * Destroys the socket unless it emits `ready` in time. The time includes name resolution, because getaddrinfo has no limit. After a
 * freeze of the process, a socket may be ready before the timer runs; nothing is sent over it.
 */
export function limitConnect<S extends Duplex | null | undefined>(
  socket: S,
  ready: 'connect' | 'secureConnect',
  dial: Dial,
  connectMs: number,
): S {
  const elapsedMs = startStopwatch(systemClock);
  const late = () => socket?.destroy(new ConnectTimeout(dial, connectMs));
  const timer = setTimeout(late, connectMs);
  const stop = () => clearTimeout(timer);
  socket?.once('close', stop).once(ready, () => {
    stop();
    if (elapsedMs() >= connectMs) late();
  });
  return socket;
}
