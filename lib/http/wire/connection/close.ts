import { type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Connections } from '../verbs/socket.ts';

/** A server that listens, and its connections. */
export interface Open {
  readonly server: Server;
  readonly connections: Connections;
  /** The sockets below the connections, including those still in their TLS handshake. */
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

/** The answer that is being made on a connection; undefined when there is none. */
export function answerOn(connection: Duplex): ServerResponse | undefined {
  const answered: unknown = Reflect.get(connection, '_httpMessage');
  return answered instanceof ServerResponse ? answered : undefined;
}

/** How often the server looks for connections that have become idle. */
const lookEveryMs = 50;

/**
 * Closes a server: idle connections at once, those with a request in flight after their answer (which carries
 * `Connection: close`), the rest after the grace period. New connections are refused; the listener has to refuse further
 * requests on old ones.
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
      // A server is closed a moment before the requests on its last connections learn that they have ended.
      void Promise.all([...connections.keys()].map(ended)).then(() => resolve());
    });
    for (const [socket, { fresh }] of connections) {
      const answer = answerOn(socket);
      if (answer !== undefined && !answer.headersSent) answer.shouldKeepAlive = false;
      // Node counts a connection as idle only after its first request.
      if (fresh) socket.destroy();
    }
  });
}

const ended = (connection: Duplex): Promise<void> =>
  new Promise((resolve) => connection.once('close', () => resolve()));
