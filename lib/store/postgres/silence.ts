import pg from 'pg';
import type { Log } from '#core/log/log.ts';
import type { Origin } from './connect/origin.ts';
import { openClient, type ServerClient } from './connect/server-client.ts';
import type { Servers } from './connect/servers.ts';
import { applicationName } from './connect/start-up.ts';
import { NoServer } from './refusal.ts';

/** After this time a statement is slow, or its connection is dead. */
const quietMsMax = 3_000;
/** When no statement was answered for this time and no server is reachable, all statements can be given up. */
const silentMsMax = 10_000;
const checkEveryMs = 1_000;
/** Pause after a probe that reached a server. */
const pauseMs = 5_000;
/** Limit for a new connection, over all servers; a reachable server accepts one at once. */
const probeMsMax = 5_000;

/** A connection of the pool. */
interface Line {
  readonly client: ServerClient;
  /** When the statement that awaits its answer was sent. */
  askedAt: number | undefined;
}

/**
 * Detects dead connections that nothing has closed: the network drops packets, the server is frozen, or another one has taken over.
 * When a statement waits for long, a probe opens a new connection. If it reaches the same server run, that server is busy, and slow
 * statements may go on. If it reaches another one, the previous server will not answer, and all connections to it are closed. If it
 * reaches no server, all connections are closed once nothing was answered for a while. The next query opens a new connection.
 */
export class SilenceWatch {
  readonly #lines = new Map<pg.ClientBase, Line>();
  readonly #servers: Servers;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #answeredAt = 0;
  #checkAt = 0;
  #probing = false;

  constructor(servers: Servers, log: Log) {
    this.#servers = servers;
    this.#log = log;
    this.#timer = setInterval(() => void this.#check(), checkEveryMs).unref();
  }

  /** Only one of several hosts is the primary: a connection to it shows that connections to other hosts are obsolete. */
  opened(client: ServerClient): void {
    this.#lines.set(client, { client, askedAt: undefined });
    client.once('end', () => this.#lines.delete(client));
    if (this.#hasOnePrimary) this.#close(({ way }) => way.host !== client.way.host || way.port !== client.way.port);
  }

  asked(client: pg.ClientBase): void {
    const line = this.#lines.get(client);
    if (line !== undefined) line.askedAt = performance.now();
  }

  answered(client: pg.ClientBase): void {
    this.#answeredAt = performance.now();
    const line = this.#lines.get(client);
    if (line !== undefined) line.askedAt = undefined;
  }

  /** The server of this client accepts no writes. If another server may, all connections to this one are closed. */
  readOnly(client: pg.ClientBase): void {
    const origin = this.#lines.get(client)?.client.origin;
    if (this.#hasOnePrimary && origin !== undefined) this.#close((other) => isSame(other.origin, origin));
  }

  end(): void {
    clearInterval(this.#timer);
  }

  get #hasOnePrimary(): boolean {
    return this.#servers.address.target !== 'any';
  }

  /** Never rejects. */
  async #check(): Promise<void> {
    const now = performance.now();
    if (this.#probing || now < this.#checkAt || !this.#isQuiet(quietMsMax)) return;
    this.#probing = true;
    // Connections that are opened during the probe are not suspects.
    const suspects = new Set([...this.#lines.values()].map(({ client }) => client));
    const found = await this.#probe();
    this.#probing = false;
    if (found === 'busy') this.#checkAt = performance.now() + pauseMs;
    else if (found === 'away') this.#giveUp(suspects);
    else this.#replace(suspects, found);
  }

  #isQuiet(ms: number): boolean {
    const since = performance.now() - ms;
    return [...this.#lines.values()].some(({ askedAt }) => askedAt !== undefined && askedAt <= since);
  }

  #giveUp(suspects: ReadonlySet<ServerClient>): void {
    if (!this.#isQuiet(silentMsMax) || performance.now() - this.#answeredAt < silentMsMax) return;
    this.#log.warn({ outage: true }, 'the database does not answer: its connections are closed');
    this.#close((client) => suspects.has(client));
  }

  /** Closes all connections to the previous server at once; otherwise each would cost a request that waits in vain. */
  #replace(suspects: ReadonlySet<ServerClient>, found: Origin): void {
    this.#checkAt = performance.now() + pauseMs;
    const since = performance.now() - quietMsMax;
    const waiting = [...this.#lines.values()].filter(({ askedAt }) => askedAt !== undefined && askedAt <= since);
    if (waiting.every(({ client }) => isSame(client.origin, found))) return;
    this.#log.warn(
      { outage: true },
      'another database server has taken over: the connections to the previous one are closed',
    );
    this.#close((client) => suspects.has(client) && !isSame(client.origin, found));
  }

  #close(isDead: (client: ServerClient) => boolean): void {
    for (const { client } of [...this.#lines.values()]) if (isDead(client)) client.cut();
  }

  async #probe(): Promise<Origin | 'busy' | 'away'> {
    const options = { application_name: applicationName, connectionTimeoutMillis: probeMsMax };
    try {
      const client = await openClient(this.#servers, options);
      void client.end().catch(() => {});
      return client.origin ?? 'busy';
    } catch (error) {
      return isAnswer(error) ? 'busy' : 'away';
    }
  }
}

/** A server that refuses the login is reachable. */
const isAnswer = (error: unknown): boolean =>
  (error instanceof NoServer ? error.causes : [error]).some((cause) => cause instanceof pg.DatabaseError);

const isSame = (left: Origin | undefined, right: Origin): boolean => left?.startedAtMs === right.startedAtMs;
