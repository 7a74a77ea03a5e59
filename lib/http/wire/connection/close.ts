import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { answerOn } from '../refuse.ts';
import type { Connection } from '../verbs/socket.ts';

/** A server that listens, and its connections. */
export interface Open {
  readonly server: Server;
  readonly connections: ReadonlySet<Connection>;
  /** What the connections stand on, including those whose TLS handshake has not ended. */
  readonly sockets: ReadonlySet<Socket>;
}

/** The sockets that a server holds, from accepting them to their end. */
export function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** How often connections are looked for whose last answer has gone out. */
const lookEveryMs = 50;

/**
 * Ends a server: idle connections at once, those with a request in flight after its answer, which says so, and what is left
 * after the grace. New connections are refused; what still comes on old ones is for the listener to refuse.
 */
export function closeServer({ server, connections, sockets }: Open, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
    }, graceMs);
    const look = setInterval(() => server.closeIdleConnections(), lookEveryMs);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(look);
      resolve();
    });
    for (const connection of connections) {
      const answer = answerOn(connection);
      if (answer !== undefined && !answer.headersSent) answer.shouldKeepAlive = false;
      // Node takes a connection for idle only when something was asked on it.
      if (connection.fresh) connection.destroy();
    }
  });
}
