import pg from 'pg';
import type { Log } from '#core/log/log.ts';
import { type ClientOptions, ServerClient } from '../connect/server-client.ts';
import { type DatabaseAccess, Servers } from '../connect/servers.ts';
import { applicationName, startUpParameters } from '../connect/start-up.ts';
import { type PoolerSetting, Pooling } from '../pooler/pooling.ts';
import { SilenceWatch } from '../silence.ts';

export interface PoolOptions extends DatabaseAccess {
  /** Maximum number of connections. At least 2, because work that holds one may need another. */
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  /** Limit for waiting for a free connection and for opening one, over all servers. */
  readonly connectTimeoutMs: number;
  /** Whether there is a pooler in front of PostgreSQL; detected when absent. */
  readonly pooler?: PoolerSetting;
  readonly log: Log;
}

/** Added to the server's own limit: after that the network hangs, not the statement. */
const answerMarginMs = 5_000;
const idleConnectionMs = 30_000;
/** Redistributes the connections after a failover. */
const connectionLifetimeSeconds = 1_800;
const keepAliveDelayMs = 10_000;

/** The connections of a process. */
export interface StorePool {
  readonly silence: SilenceWatch;
  readonly pooling: Pooling;
  readonly statementTimeoutMs: number;
  /** Maximum number of connections. */
  readonly max: number;
  readonly totalCount: number;
  readonly idleCount: number;
  /** Number of callers that wait for a connection. */
  readonly waitingCount: number;
  connect(): Promise<pg.PoolClient>;
  /** Closes idle connections, unless a pooler shares its servers among them, so that they cost little. */
  rest(): Promise<void>;
  end(): Promise<void>;
}

/** Opens a pool that survives the loss of its server: lost connections are closed and the next query opens another. */
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
      super(servers, {
        ...connection,
        ...(pooling.sendsStartUpParameters ? startUpParameters(statementTimeoutMs) : {}),
      });
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
  // The pool reports errors of idle clients only. A client on loan can lose its connection silently between two statements; the next
  // statement then fails. While the pool is ending, the server may close a connection first, which is not worth a warning.
  pool.on('error', (error) => {
    if (!pool.ending) options.log.warn({ outage: true, error: error.message }, 'an idle database connection was lost');
  });
  pool.on('connect', (client) => client instanceof ServerClient && silence.opened(client));
  return {
    silence,
    pooling,
    statementTimeoutMs,
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
