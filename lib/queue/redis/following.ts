import { connect, Socket } from 'node:net';
import { type ConnectionOptions, connect as connectSecurely, type TLSSocket } from 'node:tls';
import { AbstractConnector } from 'ioredis';
import type { RedisHost } from '#core/settings/redis-url.ts';
import type { Places } from './places.ts';

/** A server that has sent nothing for this time after dialling is frozen or unreachable: another one is tried. */
const silentMsMax = 4_000;

/** What all connections of one client share. */
export interface Dialling {
  readonly places: Places;
  /** 4 or 6; 0: either. */
  readonly family: number;
  readonly tls: ConnectionOptions | undefined;
}

/** Dials the owner of our keys, as far as `places` knows it, and reports the result there. */
export class FollowingConnector extends AbstractConnector {
  readonly #dialling: Dialling;
  #isReady = false;
  #left: Socket | undefined;

  constructor(dialling: Dialling, disconnectMsMax: number) {
    super(disconnectMsMax);
    this.#dialling = dialling;
  }

  /** Never throws, because ioredis would not dial again: on failure it returns a stream that ends with an error. */
  override async connect() {
    const { places } = this.#dialling;
    const place = places.current();
    const stream = this.#dial(place);
    this.connecting = true;
    this.#isReady = false;
    this.stream = stream;
    const silent = setTimeout(() => {
      if (stream.bytesRead === 0) stream.destroy(new Error(`connect ETIMEDOUT ${place.host}:${place.port}`));
    }, silentMsMax);
    stream.once('error', (cause) => {
      this.firstError = cause;
    });
    stream.once('close', () => {
      clearTimeout(silent);
      if (this.stream === stream && !this.#isReady) places.lost(place);
    });
    return outlivingErrors(stream);
  }

  /** Every command of a batch that is answered with MOVED calls this, so repeated calls for one stream are ignored. */
  override disconnect(): void {
    if (this.#left !== undefined && this.#left === this.stream) return;
    this.#left = this.stream;
    super.disconnect();
  }

  /** Called with the reply to INFO when the server is ready. */
  override check(info: { readonly cluster_enabled?: string }): boolean {
    this.#isReady = true;
    this.#dialling.places.isCluster = info.cluster_enabled === '1';
    return true;
  }

  #dial({ host, port }: RedisHost) {
    const { family, tls } = this.#dialling;
    const where = { host, port, family };
    try {
      return tls === undefined ? connect(where) : connectSecurely({ ...tls, ...where });
    } catch (cause) {
      // A TLS file cannot be read.
      return new Socket().destroy(cause instanceof Error ? cause : new Error('a connection could not be made'));
    }
  }
}

/**
 * A TLS socket may report an alert of the server, and then the end of the connection as a second error. ioredis listens for one error; the
 * second would end the process.
 */
export function outlivingErrors<Stream extends Socket | TLSSocket>(stream: Stream): Stream {
  stream.on('error', () => {});
  return stream;
}
