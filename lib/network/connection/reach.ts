import { connect, type Socket } from 'node:net';
import type { NetworkPolicy } from '../policy.ts';
import { limitConnect, refuseDial } from './dial.ts';
import { guardedLookup } from './lookup.ts';

/** The remote of a connection without a protocol. */
export interface RemoteAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Connects to a remote that the guard allows, within `connectMs`. The address that was checked is the one that is used.
 *
 * @throws BlockedConnection, or the error of the connection
 */
export async function reach(policy: NetworkPolicy, remote: RemoteAddress, connectMs: number): Promise<Socket> {
  const refusal = refuseDial(policy, remote);
  if (refusal !== undefined) throw refusal;
  const socket = connect({ ...remote, lookup: guardedLookup(policy, remote.port) });
  return whenConnected(limitConnect(socket, 'connect', remote, connectMs));
}

/** Resolves once the socket is connected. Errors after that end it, which its user sees by `close`. */
export const whenConnected = (socket: Socket): Promise<Socket> =>
  new Promise((resolve, reject) => {
    socket.on('error', reject).once('connect', () => resolve(socket));
  });
