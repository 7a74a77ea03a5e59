import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { guardLogin } from './login-guard.ts';
import { type Origin, originOf } from './origin.ts';
import { DialError, type Servers, type Way } from './servers.ts';
import { tlsOptions } from './tls.ts';

/** What a client is, whichever server it goes to. `connectionTimeoutMillis` is for all ways together. */
export type ClientOptions = Omit<pg.ClientConfig, 'connectionString' | 'host' | 'port' | 'user' | 'password' | 'ssl'>;

/**
 * A connection to the server of a database that is the one to go to now. It is open once the server has shown by its certificate, its
 * login and its state that it is the one that is wanted.
 */
export class ServerClient extends pg.Client {
  readonly way: Way;
  readonly #servers: Servers;
  readonly #tls: ConnectionOptions;
  readonly #msMax: number;
  readonly #mustBeAllowed: () => void;
  #origin: Origin | undefined;

  constructor(servers: Servers, options: ClientOptions) {
    const { user, database, login, tls, startUp } = servers.address;
    const way = servers.way();
    // Filled when the files have been read: `pg` takes from it what is there when the handshake begins.
    const tlsLater: ConnectionOptions = {};
    const msMax = Math.ceil((options.connectionTimeoutMillis ?? 0) / servers.ways.length);
    super({
      ...options,
      ...startUp,
      ...(user === undefined ? {} : { user }),
      ...(database === undefined ? {} : { database }),
      ...{ host: way.host, port: way.port, ssl: way.tls ? tlsLater : false, connectionTimeoutMillis: msMax },
      ...(tls.direct ? { sslnegotiation: 'direct' as const } : {}),
      enableChannelBinding: way.tls && login.channelBinding !== 'disable',
    });
    this.way = way;
    this.#servers = servers;
    this.#tls = tlsLater;
    this.#msMax = msMax;
    // An `error` event without a listener ends the process. What has failed says so to those that wait for it.
    this.on('error', () => {});
    this.#mustBeAllowed = guardLogin(this, login);
  }

  /** The run of the server that it has come to; undefined: it is not open yet. */
  get origin(): Origin | undefined {
    return this.#origin;
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error | null, client?: this) => void): void;
  override connect(callback?: (error: Error | null, client?: this) => void): Promise<this> | undefined {
    const opened = this.#open();
    if (callback === undefined) return opened;
    opened.then(
      () => callback(null, this),
      (error: Error) => callback(error),
    );
    return undefined;
  }

  /** Closes it without waiting for the server, and with it what waits for an answer. */
  cut(): void {
    this.connection.stream.destroy();
  }

  /** @throws DialError */
  async #open(): Promise<this> {
    try {
      const password = await this.#servers.password();
      if (password !== undefined) this.password = password;
      if (this.way.tls) Object.assign(this.#tls, await tlsOptions(this.#servers.address.tls));
      await super.connect();
      this.#mustBeAllowed();
      this.#origin = await this.#look();
      return this;
    } catch (cause) {
      this.#servers.failed(this.way);
      this.cut();
      throw new DialError(this.way, cause);
    }
  }

  async #look(): Promise<Origin> {
    const timer = this.#msMax === 0 ? undefined : setTimeout(() => this.cut(), this.#msMax);
    return originOf(this, this.#servers.address.target).finally(() => clearTimeout(timer));
  }
}

/** One connection of its own. @throws what the last of the servers came to */
export function openClient(servers: Servers, options: ClientOptions): Promise<ServerClient> {
  return servers.each(() => new ServerClient(servers, options).connect());
}
