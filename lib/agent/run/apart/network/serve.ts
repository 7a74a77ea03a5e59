import type { ChildProcess } from 'node:child_process';
import type { Server, Socket } from 'node:net';
import { Passing } from '#network/connection/passing.ts';
import { greet } from '#network/connection/socks.ts';
import { type Guard, reachFor, reachServer } from './guard.ts';
import { httpProxy } from './http-proxy.ts';
import { type Role, takeListeners } from './listen.ts';
import { Refusals } from './refusals.ts';

/** Connections of one command at the same time. */
export const connectionsMax = 256;
/** How long a connection may be silent, in milliseconds. */
export const idleMs = 900_000;

/** The network of one command. */
export interface ServedNetwork {
  /** The addresses that were refused, a line for each. */
  readonly refused: readonly string[];
  /** Closes all connections. */
  close(): void;
}

/** Serves the listeners that a child hands over from the network of its command. */
export function serveNetwork(guard: Guard, child: ChildProcess): ServedNetwork {
  const refusals = new Refusals();
  const failed = (error: Error) => refusals.add(error);
  const passing = new Passing({ connectionsMax, idleMs });
  const proxy = httpProxy({ guard, passing, idleMs, failed });
  const noted = (work: Promise<Socket>) =>
    work.catch((error: Error) => {
      failed(error);
      throw error;
    });
  const roles: Readonly<Record<Role, (client: Socket) => void>> = {
    http: (client) => proxy.serve(client),
    socks: (client) =>
      void greet(client)
        .then((asked) => passing.pass(client, asked, () => noted(reachFor(guard, asked))))
        .catch(() => client.destroy()),
    server: (client) => void passing.pass(client, guard.server, () => reachServer(guard)),
  };
  const servers: Server[] = [];
  let isClosed = false;
  takeListeners(child, (role, server) => {
    servers.push(server);
    if (isClosed) return void server.close();
    server.on('error', () => {}).on('connection', (client) => passing.admit(client) && roles[role](client));
  });
  return {
    get refused() {
      return refusals.lines;
    },
    close() {
      isClosed = true;
      for (const one of servers) one.close();
      proxy.close();
      passing.end();
    },
  };
}
