import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientConnection } from '../../../path/row.ts';

/** The part of a socket that is looked at. Sockets without TLS may lack `encrypted`. */
interface Peer {
  readonly remoteAddress?: string | undefined;
  readonly encrypted?: boolean | undefined;
}

const carried = new AsyncLocalStorage<ClientConnection>();

/** Does the work with a request that came over another connection than the socket that the routes see. */
export const carriedOver = <T>(connection: ClientConnection, work: () => Promise<T>): Promise<T> =>
  carried.run(connection, work);

export const connectionOf = (socket: Peer): ClientConnection => carried.getStore() ?? new SocketConnection(socket);

/** Few requests are asked for their address, and a socket has to ask the system for it. */
class SocketConnection implements ClientConnection {
  readonly #socket: Peer;

  constructor(socket: Peer) {
    this.#socket = socket;
  }

  /** A socket for both families shows an IPv4 address as `::ffff:192.0.2.1`. */
  get remoteAddress(): string {
    return (this.#socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
  }

  get tls(): boolean {
    return this.#socket.encrypted === true;
  }
}
