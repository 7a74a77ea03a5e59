import { connect, type Socket } from 'node:net';
import { isBlocked } from '#network/blocked.ts';
import { type NetworkBounds, readBounds } from '#network/bounds.ts';
import { limitConnect, refuseDial } from '#network/connection/dial.ts';
import { guardedLookup } from '#network/connection/lookup.ts';
import { type RemoteAddress, reach, whenConnected } from '#network/connection/reach.ts';
import { type NetworkPolicy, strictPolicy } from '#network/policy.ts';
import { type ServerAddress, serverAddress } from './environment.ts';
import { type OuterProxies, outerProxies, reachThrough } from './outer.ts';

const setting = 'KEYFERRY_AGENT_NETWORK_ALLOWED';

/** Deadline for name resolution and the connection together, in milliseconds. */
export const connectMs = 20_000;

/**
 * The addresses that runs may reach beside public ones: `all`, `none`, or blocks such as `10.20.0.0/16`, separated by commas.
 *
 * @throws ConfigError, or Error for a port
 */
export function readAllowed(text: string | undefined): NetworkBounds {
  const bounds = readBounds(text, { name: setting, closed: `${setting} of the agent does not open it` });
  if (bounds.ports.length > 0) throw new Error(`${setting} takes addresses only: every port of them is open`);
  return bounds;
}

/** What runs may reach, and how. */
export interface Guard {
  readonly server: ServerAddress;
  readonly policy: NetworkPolicy;
  readonly outer: OuterProxies;
}

interface GuardSettings {
  /** The address of the server. */
  readonly address: string;
  readonly networkAllowed: NetworkBounds;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** @throws Error for proxies of the environment that cannot be used */
export const guardOf = ({ address, networkAllowed, environment }: GuardSettings): Guard => ({
  server: serverAddress(address),
  // All that the bounds admit, and every port, since a run is no way into the agent's own network by the port.
  policy: { ...strictPolicy, disabled: true, bounds: { ...networkAllowed, ports: [[1, 65_535]] } },
  outer: outerProxies(environment),
});

export const isServer = ({ server }: Guard, { host, port }: RemoteAddress): boolean =>
  host.toLowerCase() === server.host && port === server.port;

/** A connection to what a run may reach. @throws BlockedConnection, or the error of the connection */
export async function reachFor(guard: Guard, remote: RemoteAddress): Promise<Socket> {
  if (isServer(guard, remote)) return reachServer(guard);
  const proxy = guard.outer.for(remote, 'tunnel');
  if (proxy === undefined) return reach(guard.policy, remote, connectMs);
  await checkBeforeProxy(guard, remote);
  return reachThrough(proxy, remote, connectMs);
}

/** The server is reached as the agent itself reaches it, which uses no proxy. */
export const reachServer = ({ server }: Guard): Promise<Socket> =>
  whenConnected(limitConnect(connect({ ...server }), 'connect', server, connectMs));

/**
 * A proxy of the agent resolves names itself. Refused are addresses, and names that lead to refused addresses only as far as this machine knows them.
 *
 * @throws BlockedConnection
 */
export async function checkBeforeProxy({ policy }: Guard, remote: RemoteAddress): Promise<void> {
  const refusal = refuseDial(policy, remote);
  if (refusal !== undefined) throw refusal;
  const error = await new Promise<Error | null>((resolve) => {
    const timer = setTimeout(() => resolve(null), connectMs);
    guardedLookup(policy, remote.port)(remote.host, { all: true }, (failure) => {
      clearTimeout(timer);
      resolve(failure);
    });
  });
  if (isBlocked(error)) throw error;
}
