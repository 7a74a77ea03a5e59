import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { BlockedConnection, blockedMessage } from '../blocked.ts';
import { limitConnect, refuseDial } from '../connection/dial.ts';
import { guardedLookup } from '../connection/lookup.ts';
import { codeOf } from '../connection/trace-end.ts';
import type { NetworkPolicy } from '../policy.ts';

export interface RelayLimits {
  /** Deadline for name resolution and TCP together. */
  readonly connectMs: number;
  /** Received from all remotes together. */
  readonly bytesMax: number;
}

/** The remote of one connection. */
export interface RemoteAddress {
  readonly host: string;
  readonly port: number;
}

/** A listener on this machine through which one program reaches what the guard allows. */
export interface Relay {
  readonly port: number;
  /** Why the last connection failed, without secrets. */
  readonly failure: string | undefined;
  close(): void;
}

/** Connections of one program at the same time. */
const connectionsMax = 16;

/** What a new connection asks for. It reads what it needs from the socket and leaves the rest. */
export interface Asked extends RemoteAddress {
  /** Tells the program whether its remote was reached. */
  readonly answer?: (connected: boolean) => void;
}

/**
 * Listens on the loopback address. Every connection is passed on to the remote that `ask` names. The remote's address is checked when it is
 * dialled, and the address that was checked is the one that is used, so that a name that changes its address gains nothing.
 */
export async function openRelay(
  policy: NetworkPolicy,
  { connectMs, bytesMax }: RelayLimits,
  ask: (client: Socket) => Promise<Asked>,
): Promise<Relay> {
  const state = { failure: undefined as string | undefined, bytes: 0 };
  const open = new Set<Socket>();
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => {}).once('close', () => open.delete(socket));
  };
  const serve = async (client: Socket) => {
    const asked = await ask(client);
    const remote = dialRemote(policy, asked, connectMs);
    if (remote instanceof BlockedConnection) {
      state.failure = remote.message;
      asked.answer?.(false);
      return void client.end();
    }
    keep(remote);
    remote.once('error', (error) => {
      state.failure = blockedMessage(error) ?? `no connection to ${asked.host} port ${asked.port}: ${codeOf(error)}`;
      if (remote.connecting || remote.bytesRead === 0) asked.answer?.(false);
      client.end();
    });
    remote.once('connect', () => {
      asked.answer?.(true);
      client.pipe(remote);
      remote.pipe(client);
    });
    remote.on('data', ({ length }) => {
      state.bytes += length;
      if (state.bytes <= bytesMax) return;
      state.failure = `the remote sent more than ${bytesMax} bytes`;
      for (const one of open) one.destroy();
    });
    client.once('close', () => remote.destroy());
  };
  const server = createServer((client) => {
    keep(client);
    if (open.size > connectionsMax * 2) return void client.destroy();
    serve(client).catch(() => client.destroy());
  });
  await listening(server);
  const { port } = server.address() as { readonly port: number };
  return {
    port,
    get failure() {
      return state.failure;
    },
    close() {
      server.close();
      for (const one of open) one.destroy();
    },
  };
}

function dialRemote(
  policy: NetworkPolicy,
  { host, port }: RemoteAddress,
  connectMs: number,
): Socket | BlockedConnection {
  const refusal = refuseDial(policy, { host, port });
  if (refusal !== undefined) return refusal;
  const socket = dial({ host, port, lookup: guardedLookup(policy, port) });
  return limitConnect(socket, 'connect', { host, port }, connectMs);
}

const listening = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
