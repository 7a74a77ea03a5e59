import { AsyncLocalStorage } from 'node:async_hooks';
import { type AddressList, unmapped } from '../../../core/address-list.ts';
import { UnderWay } from '../../../core/concurrency/under-way.ts';
import { AppError } from '../../../core/errors.ts';
import type { ClientConnection } from '../../../path/contract/request.ts';
import { type Headers, header } from '../exchange.ts';
import { clientAddress } from './forwarded.ts';

/** The part of a socket that is looked at. Sockets without TLS may lack `encrypted`. */
interface Peer {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly encrypted?: boolean | undefined;
}

const carried = new AsyncLocalStorage<ClientConnection>();

/** Does the work with a request that came over another connection than the socket that the routes see. */
export const carriedOver = <T>(connection: ClientConnection, work: () => Promise<T>): Promise<T> =>
  carried.run(connection, work);

/** Where a request comes from: its socket's peer, or the client that trusted proxies name. */
export function connectionOf(socket: Peer, headers: Headers, trustedProxies: AddressList): ClientConnection {
  const peer = carried.getStore() ?? new SocketConnection(socket);
  const forwardedFor = header(headers, 'x-forwarded-for');
  return forwardedFor === undefined ? peer : new ForwardedConnection(peer, forwardedFor, trustedProxies);
}

/** Few requests are asked for their address, and a socket has to ask the system for it. */
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

  /** Proxies do not tell the port of their client. */
  get remotePort(): number | undefined {
    return this.#trustedProxies.has(this.#peer.remoteAddress) ? undefined : this.#peer.remotePort;
  }

  get tls(): boolean {
    return this.#peer.tls;
  }
}

/** The end of a request before its answer: the client has gone or the time is over. */
export class Ending {
  readonly #onClose: (gone: () => void) => void;
  #controller: AbortController | undefined;
  #ended = false;

  constructor(onClose: (gone: () => void) => void) {
    this.#onClose = onClose;
  }

  /** Most handlers never look at the signal, so it is made, and the connection watched, when it is first taken. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ended) this.#controller.abort();
      else this.#onClose(() => this.end());
    }
    return this.#controller.signal;
  }

  /** The time is over. That the client has gone is seen only where the signal was taken. */
  get isOver(): boolean {
    return this.#ended;
  }

  end(): void {
    this.#ended = true;
    this.#controller?.abort();
  }
}

/** The work's outcome, or an `AppError` `unavailable` when its time is over; `expire` then ends what is still running. */
export type Within = <T>(work: Promise<T>, expire: () => void) => Promise<T>;

/** How exact the deadline is: a part of it, at most a second. */
const partsOfDeadline = 20;
const sweepMsMax = 1000;

/**
 * One deadline of `milliseconds` for many pieces of work. All have the same length, so they end in the order they began
 * and one timer for all is enough; a timer for each would cost more than the rest of a request's bookkeeping.
 */
export function createDeadline(milliseconds: number): Within {
  const underWay = new UnderWay<{ readonly due: number; readonly expire: () => void }>();
  const sweepMs = Math.min(sweepMsMax, Math.ceil(milliseconds / partsOfDeadline));
  let sweeping = false;

  const sweep = () => {
    const now = performance.now();
    for (const entry of underWay) {
      if (entry.due > now) break;
      entry.expire();
    }
    sweeping = !underWay.isEmpty;
    if (sweeping) setTimeout(sweep, sweepMs).unref();
  };

  return (work, expire) =>
    new Promise((resolve, reject) => {
      const place = underWay.begin({
        due: performance.now() + milliseconds,
        expire() {
          underWay.end(place);
          expire();
          reject(new AppError('unavailable', 'the request took too long'));
        },
      });
      if (!sweeping) setTimeout(sweep, sweepMs).unref();
      sweeping = true;
      const settle = <Outcome>(then: (outcome: Outcome) => void, outcome: Outcome) => {
        underWay.end(place);
        then(outcome);
      };
      work.then(
        (value) => settle(resolve, value),
        (cause) => settle(reject, cause),
      );
    });
}
