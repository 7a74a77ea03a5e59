import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { guardLogin } from './login-guard.ts';
import { type Origin, originOf } from './origin.ts';
import { DialError, type Servers, type Way } from './servers.ts';
import { tlsOptions } from './tls.ts';

/** Options of a client that do not depend on the server. `connectionTimeoutMillis` covers all ways together. */
export type ClientOptions = Omit<pg.ClientConfig, 'connectionString' | 'host' | 'port' | 'user' | 'password' | 'ssl'>;

/**
 * A connection to the current server of a database. It is open only after the certificate, the login and the state of the server
 * have been checked.
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
    // Filled once the files have been read: `pg` reads it when the handshake begins.
    const tlsLater: ConnectionOptions = {};
    const msMax = Math.ceil((options.connectionTimeoutMillis ?? 0) / servers.ways.length);
    super({
      ...options,
      ...startUp,
      ...(user === undefined ? {} : { user }),
      ...(database === undefined ? {} : { database }),
      host: way.host,
      port: way.port,
      ssl: way.tls ? tlsLater : false,
      connectionTimeoutMillis: msMax,
      ...(tls.direct ? { sslnegotiation: 'direct' as const } : {}),
      enableChannelBinding: way.tls && login.channelBinding !== 'disable',
    });
    this.way = way;
    this.#servers = servers;
    this.#tls = tlsLater;
    this.#msMax = msMax;
    // An `error` event without a listener ends the process. Pending calls are rejected in any case.
    this.on('error', () => {});
    this.#mustBeAllowed = guardLogin(this, login);
  }

  /** The server run that the connection has reached; undefined until the connection is open. */
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

  /** Closes the connection without waiting for the server; pending queries fail. */
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

/** Opens a connection outside the pool. @throws the error of the last server */
export function openClient(servers: Servers, options: ClientOptions): Promise<ServerClient> {
  return servers.each(() => new ServerClient(servers, options).connect());
}
