import { isIP } from 'node:net';
import { BlockedConnection } from '../blocked.ts';
import { decide, decidePort } from '../decide.ts';
import type { NetworkPolicy } from '../policy.ts';

/** What a client is about to connect to, in the words of `net.connect`. */
export interface Dial {
  readonly host: string;
  readonly port: number;
  /** A path of a Unix socket. */
  readonly path?: string | null | undefined;
}

/**
 * The check before a socket is made: Unix sockets, ports, and IP literals, which no `lookup` hook ever sees. URL parsing
 * has turned forms like `2130706433` and `0x7f.1` into literals by now; where they come without a URL, `lookup` gets them.
 */
export function refuseDial(policy: NetworkPolicy, { host, port, path }: Dial): BlockedConnection | undefined {
  if (typeof path === 'string' && path !== '')
    return new BlockedConnection({ host: `unix:${path}`, port }, [unixSocket]);
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) !== 0) return refused({ host: bare, address: bare, port }, decide(policy, bare, port));
  const refusal = decidePort(policy, port);
  return refusal === undefined ? undefined : new BlockedConnection({ host, port }, [refusal]);
}

// Also with the guard switched off: an external system is never a local socket.
const unixSocket = { reason: 'Unix sockets are never used', field: undefined };

function refused(
  target: BlockedConnection['target'],
  refusals: ReturnType<typeof decide>,
): BlockedConnection | undefined {
  return refusals.length === 0 ? undefined : new BlockedConnection(target, refusals);
}
