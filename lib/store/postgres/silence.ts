import { Socket } from 'node:net';
import pg from 'pg';
import type { Log } from '../../core/log.ts';

/** No statement was answered for so long. A connection that is half open would hold what waits until the limit of statements. */
const silentMsMax = 10_000;
const lookEveryMs = 1_000;
/** For a new connection, which a server that is there opens at once. */
const probeMsMax = 5_000;

/**
 * Finds out that the connections of a pool are dead though nothing has closed them: a network swallows what is sent, or the server
 * is frozen. When statements wait and none was answered for a while, a new connection is tried. A server that answers there is busy, and
 * slow statements keep their time; one that does not has lost ours, and all of them are closed, so that the next query opens another.
 */
export class SilenceWatch {
  readonly #sockets = new Set<Socket>();
  readonly #probe: pg.ClientConfig;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  /** Since when statements wait without an answer to any. */
  #since: number | undefined;
  #probing = false;

  constructor(connection: pg.ClientConfig, log: Log) {
    this.#probe = { ...connection, connectionTimeoutMillis: probeMsMax };
    this.#log = log;
    this.#timer = setInterval(() => void this.#look(), lookEveryMs).unref();
  }

  /** A socket of the pool, before it is connected. */
  readonly socket = (): Socket => {
    const socket = new Socket();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  };

  asked(): void {
    this.#since ??= performance.now();
  }

  answered(): void {
    this.#since = undefined;
  }

  end(): void {
    clearInterval(this.#timer);
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    if (this.#probing || this.#since === undefined || performance.now() - this.#since < silentMsMax) return;
    this.#probing = true;
    // What is opened meanwhile is not known to be dead.
    const suspects = [...this.#sockets];
    const isThere = await answers(this.#probe);
    this.#probing = false;
    // A statement that was answered meanwhile has begun another silence, or none.
    if (this.#since === undefined || performance.now() - this.#since < silentMsMax) return;
    this.#since = undefined;
    if (isThere) return;
    this.#log.warn({ outage: true }, 'the database does not answer: its connections are closed');
    for (const socket of suspects) socket.destroy();
  }
}

/** Whether a server is there. One that refuses the login is. */
async function answers(connection: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client(connection);
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    return error instanceof pg.DatabaseError;
  } finally {
    void client.end().catch(() => {});
  }
}
