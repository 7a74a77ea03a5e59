import pg from 'pg';
import type { Log } from '../../core/log.ts';
import { type ClientOptions, ServerClient } from './connect/server-client.ts';
import { type DatabaseAccess, Servers } from './connect/servers.ts';
import { type PoolerSetting, Pooling } from './pooler/pooling.ts';
import { SilenceWatch } from './silence.ts';
import { applicationName, startUpParameters } from './start-up.ts';

export interface PoolOptions extends DatabaseAccess {
  /** Connections at most. At least 2: a work that holds one may need another. */
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  /** For waiting for a free connection, and for opening one, at whichever server. */
  readonly connectTimeoutMs: number;
  /** Whether a pooler stands in between; absent: it is found out. */
  readonly pooler?: PoolerSetting;
  readonly log: Log;
}

/** Beyond the server's own limit: by then it is not the statement that hangs but the network. */
const answerMarginMs = 5_000;
const idleConnectionMs = 30_000;
/** Spreads the connections anew after a failover. */
const connectionLifetimeSeconds = 1_800;
const keepAliveDelayMs = 10_000;

/** The connections of a process. */
export interface StorePool {
  readonly silence: SilenceWatch;
  readonly pooling: Pooling;
  readonly statementTimeoutMs: number;
  /** Connections at most. */
  readonly max: number;
  readonly totalCount: number;
  readonly idleCount: number;
  /** How many wait for one. */
  readonly waitingCount: number;
  connect(): Promise<pg.PoolClient>;
  /** Closes the connections that are idle, unless a pooler keeps them cheaply. */
  rest(): Promise<void>;
  end(): Promise<void>;
}

/** A pool that outlives the loss of its server: a lost connection is closed and the next query opens another. */
export function openPool(
  options: PoolOptions,
  pooling = new Pooling(options.pooler ?? 'auto', options.log),
): StorePool {
  const { statementTimeoutMs } = options;
  const servers = new Servers(options);
  const silence = new SilenceWatch(servers, options.log);
  const connection: ClientOptions = {
    application_name: applicationName,
    query_timeout: statementTimeoutMs + answerMarginMs,
    connectionTimeoutMillis: options.connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
  };
  class Client extends ServerClient {
    constructor() {
      super(servers, { ...connection, ...(pooling.asksAtStartUp ? startUpParameters(statementTimeoutMs) : {}) });
    }
  }
  const pool = new pg.Pool({
    Client,
    onConnect: (client) => (client instanceof ServerClient ? pooling.opened(client, statementTimeoutMs) : undefined),
    max: Math.max(2, options.poolSize),
    connectionTimeoutMillis: options.connectTimeoutMs,
    idleTimeoutMillis: idleConnectionMs,
    maxLifetimeSeconds: connectionLifetimeSeconds,
  });
  // The pool listens to its idle clients only; a client that is out on loan loses its connection unheard between two statements of a
  // transaction. The next statement fails, and says so.
  // At the end of the pool the server may be quicker than the goodbye of a connection, which is no news.
  pool.on('error', (error) => {
    if (!pool.ending) options.log.warn({ outage: true, error: error.message }, 'an idle database connection was lost');
  });
  pool.on('connect', (client) => client instanceof ServerClient && silence.opened(client));
  return {
    ...{ silence, pooling, statementTimeoutMs },
    max: pool.options.max,
    get totalCount() {
      return pool.totalCount;
    },
    get idleCount() {
      return pool.idleCount;
    },
    get waitingCount() {
      return pool.waitingCount;
    },
    connect: () => pooling.retried(() => servers.each(() => pool.connect())),
    async rest() {
      if (pooling.sharesServers) return;
      for (let left = pool.idleCount; left > 0 && pool.idleCount > 0; left -= 1) (await pool.connect()).release(true);
    },
    end: () => pool.end(),
  };
}
