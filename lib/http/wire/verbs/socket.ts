import type { Server } from 'node:net';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { VerbTranslator } from './translator.ts';

/** The open connections of clients, with what has arrived on each. With TLS a connection opens once its handshake is done. */
export type Connections = ReadonlyMap<Duplex, Arrived>;

interface Arrived {
  /** No byte has arrived yet. */
  readonly fresh: boolean;
}

/**
 * Makes the sockets of an `http` or `https` server deliver their bytes with the verbs replaced. Everything else about a socket
 * stays as it is, so time limits, back-pressure and closing are the server's own. Returns the open connections.
 */
export function acceptVerbs(server: Server, event: 'connection' | 'secureConnection'): Connections {
  const open = new Map<Duplex, Arrived>();
  server.prependListener(event, (socket: unknown) => {
    if (!(socket instanceof Socket)) throw new TypeError('a connection is a socket');
    open.set(socket, translating(socket));
    socket.once('close', () => open.delete(socket));
  });
  // The server's parser reads the handle of a socket past its stream until the socket has another listener for its data.
  server.on(event, (socket: Socket) => socket.on('data', () => {}));
  return open;
}

/**
 * Translates what the handle of the socket hands to its stream. A stream of our own in front of the socket would do the same, and
 * cost every request a twentieth of its processor time.
 */
function translating(socket: Socket): Arrived {
  const translator = new VerbTranslator();
  const arrived = { fresh: true };
  const push = (bytes: Buffer) => bytes.length === 0 || Socket.prototype.push.call(socket, bytes);
  socket.push = (chunk: Buffer | null) => {
    if (chunk !== null) {
      arrived.fresh = false;
      return push(translator.translate(chunk));
    }
    push(translator.flush());
    return Socket.prototype.push.call(socket, null);
  };
  return arrived;
}
