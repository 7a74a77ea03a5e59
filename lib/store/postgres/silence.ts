import pg from 'pg';
import type { Log } from '../../core/log.ts';
import type { Origin } from './connect/origin.ts';
import { NoServer } from './connect/refusal.ts';
import { openClient, type ServerClient } from './connect/server-client.ts';
import type { Servers } from './connect/servers.ts';
import { applicationName } from './start-up.ts';

/** A statement has waited for so long: it is slow, or its connection is dead. */
const quietMsMax = 3_000;
/** No statement was answered for so long, and no server is there: nothing is lost by giving up all of them. */
const silentMsMax = 10_000;
const lookEveryMs = 1_000;
/** While slow statements run and their server is there. */
const lookAgainMs = 5_000;
/** For a new connection, which a server that is there opens at once. All servers together. */
const probeMsMax = 5_000;

/** A connection of the pool. */
interface Line {
  readonly client: ServerClient;
  /** Since when it waits for an answer. */
  askedAt: number | undefined;
}

/**
 * Finds out that connections are dead though nothing has closed them: a network swallows what is sent, the server is frozen, or another one
 * has taken its place. When a statement waits for long, a new connection is tried. Where it comes to the same run of the server, that is
 * busy, and slow statements keep their time. Where it comes to another one, the former will not answer, and all its connections are
 * closed. Where no server is there, all are closed once nothing was answered for a while. The next query opens another.
 */
export class SilenceWatch {
  readonly #lines = new Map<pg.ClientBase, Line>();
  readonly #servers: Servers;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #answeredAt = 0;
  #lookAt = 0;
  #probing = false;

  constructor(servers: Servers, log: Log) {
    this.#servers = servers;
    this.#log = log;
    this.#timer = setInterval(() => void this.#look(), lookEveryMs).unref();
  }

  /** Of several hosts one is the primary: a connection to it shows that those to the others are of no more use. */
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

  /** Its server takes no writes. Where another one may, the other connections to it go as well. */
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
  async #look(): Promise<void> {
    const now = performance.now();
    if (this.#probing || now < this.#lookAt || !this.#isQuiet(quietMsMax)) return;
    this.#probing = true;
    // What is opened meanwhile is not known to be dead.
    const suspects = new Set([...this.#lines.values()].map(({ client }) => client));
    const found = await this.#probe();
    this.#probing = false;
    if (found === 'busy') this.#lookAt = performance.now() + lookAgainMs;
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

  /** The other connections to a server that has gone would be found out one by one, each by a request that waits. */
  #replace(suspects: ReadonlySet<ServerClient>, found: Origin): void {
    this.#lookAt = performance.now() + lookAgainMs;
    const since = performance.now() - quietMsMax;
    const waiting = [...this.#lines.values()].filter(({ askedAt }) => askedAt !== undefined && askedAt <= since);
    if (waiting.every(({ client }) => isSame(client.origin, found))) return;
    this.#log.warn(
      { outage: true },
      'another database server has taken over: the connections to the former are closed',
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

/** A server that refuses the login is there. */
const isAnswer = (error: unknown): boolean =>
  (error instanceof NoServer ? error.causes : [error]).some((cause) => cause instanceof pg.DatabaseError);

const isSame = (left: Origin | undefined, right: Origin): boolean => left?.startedAtMs === right.startedAtMs;
