import { AsyncLocalStorage } from 'node:async_hooks';
import { type AddressList, unmapped } from '#core/address-list.ts';
import { LinkedSet } from '#core/concurrency/linked-set.ts';
import { AppError } from '#core/errors.ts';
import type { ClientConnection } from '#path/contract/request.ts';
import { type Headers, header } from '../exchange.ts';
import { clientAddress } from './forwarded.ts';

/** The members of a socket that are read here. Sockets without TLS may lack `encrypted`. */
interface Peer {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly encrypted?: boolean | undefined;
}

const carried = new AsyncLocalStorage<ClientConnection>();

/** Runs the work for a request that came over another connection than the socket that the routes see. */
export const carriedOver = <T>(connection: ClientConnection, work: () => Promise<T>): Promise<T> =>
  carried.run(connection, work);

/** Where a request comes from: its socket's peer, or the client that trusted proxies name. */
export function connectionOf(socket: Peer, headers: Headers, trustedProxies: AddressList): ClientConnection {
  const peer = carried.getStore() ?? new SocketConnection(socket);
  const forwardedFor = header(headers, 'x-forwarded-for');
  return forwardedFor === undefined ? peer : new ForwardedConnection(peer, forwardedFor, trustedProxies);
}

/** Reads the address only when it is needed: most requests never need it, and reading it is a system call. */
class SocketConnection implements ClientConnection {
  readonly #socket: Peer;

  constructor(socket: Peer) {
    this.#socket = socket;
  }

  get remoteAddress(): string {
    return unmapped(this.#socket.remoteAddress ?? '');
  }

  get remotePort(): number | undefined {
    return this.#socket.remotePort;
  }

  get tls(): boolean {
    return this.#socket.encrypted === true;
  }
}

class ForwardedConnection implements ClientConnection {
  readonly #peer: ClientConnection;
  readonly #forwardedFor: string;
  readonly #trustedProxies: AddressList;

  constructor(peer: ClientConnection, forwardedFor: string, trustedProxies: AddressList) {
    this.#peer = peer;
    this.#forwardedFor = forwardedFor;
    this.#trustedProxies = trustedProxies;
  }

  get remoteAddress(): string {
    return clientAddress(this.#peer.remoteAddress, this.#forwardedFor, this.#trustedProxies);
  }

  /** Proxies do not forward the port of their client. */
  get remotePort(): number | undefined {
    return this.#trustedProxies.has(this.#peer.remoteAddress) ? undefined : this.#peer.remotePort;
  }

  get tls(): boolean {
    return this.#peer.tls;
  }
}

/** The early end of a request: its client has disconnected or its time is over. */
export class Ending {
  readonly #onClose: (gone: () => void) => void;
  #controller: AbortController | undefined;
  #ended = false;

  constructor(onClose: (gone: () => void) => void) {
    this.#onClose = onClose;
  }

  /** Created on first use, together with the listener on the connection, since most handlers never read it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ended) this.#controller.abort();
      else this.#onClose(() => this.end());
    }
    return this.#controller.signal;
  }

  /** The time is over. A disconnected client is noticed only after `signal` was read. */
  get isOver(): boolean {
    return this.#ended;
  }

  end(): void {
    this.#ended = true;
    this.#controller?.abort();
  }
}

/** Returns the work's outcome, or throws an `AppError` `unavailable` when its time is over; `expire` then stops the work. */
export type Within = <T>(work: Promise<T>, expire: () => void) => Promise<T>;

/** Precision of the deadline: a twentieth of it, at most a second. */
const partsOfDeadline = 20;
const sweepMsMax = 1000;

/**
 * One deadline of `milliseconds` for many pieces of work. All have the same length, so they expire in the order in which they
 * began, and one timer suffices; a timer each would cost more than all other bookkeeping of a request.
 */
export function createDeadline(milliseconds: number): Within {
  const pending = new LinkedSet<{ readonly due: number; readonly expire: () => void }>();
  const sweepMs = Math.min(sweepMsMax, Math.ceil(milliseconds / partsOfDeadline));
  let sweeping = false;

  const sweep = () => {
    const now = performance.now();
    for (const entry of pending) {
      if (entry.due > now) break;
      entry.expire();
    }
    sweeping = !pending.isEmpty;
    if (sweeping) setTimeout(sweep, sweepMs).unref();
  };

  return (work, expire) =>
    new Promise((resolve, reject) => {
      const entry = pending.add({
        due: performance.now() + milliseconds,
        expire() {
          pending.delete(entry);
          expire();
          reject(new AppError('unavailable', 'the request took too long'));
        },
      });
      if (!sweeping) setTimeout(sweep, sweepMs).unref();
      sweeping = true;
      const settle = <Outcome>(then: (outcome: Outcome) => void, outcome: Outcome) => {
        pending.delete(entry);
        then(outcome);
      };
      work.then(
        (value) => settle(resolve, value),
        (cause) => settle(reject, cause),
      );
    });
}
