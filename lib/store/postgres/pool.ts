import pg from 'pg';
import type { Log } from '../../core/log.ts';
import { SilenceWatch } from './silence.ts';
import { applicationName, startUpParameters } from './start-up.ts';

export interface PoolOptions {
  /** `postgres://user:password@host:port/database?sslmode=...` */
  readonly databaseUrl: string;
  /** Connections at most. At least 2: a work that holds one may need another. */
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  /** Covers both opening a connection and waiting for a free one. */
  readonly connectTimeoutMs: number;
  readonly log: Log;
}

/** Beyond the server's own limit: by then it is not the statement that hangs but the network. */
const answerMarginMs = 5_000;
const idleConnectionMs = 30_000;
/** Spreads the connections anew after a failover. */
const connectionLifetimeSeconds = 1_800;
const keepAliveDelayMs = 10_000;

/** A pool, and what watches whether its connections have gone silent. */
export type StorePool = pg.Pool & { readonly silence: SilenceWatch };

/** A pool that outlives the loss of its server: a lost connection is closed and the next query opens another. */
export function openPool(options: PoolOptions): StorePool {
  mustBeUrl(options.databaseUrl);
  const silence = new SilenceWatch(
    { connectionString: options.databaseUrl, application_name: applicationName },
    options.log,
  );
  const pool = new pg.Pool({
    connectionString: options.databaseUrl,
    max: Math.max(2, options.poolSize),
    ...startUpParameters(options.statementTimeoutMs),
    query_timeout: options.statementTimeoutMs + answerMarginMs,
    connectionTimeoutMillis: options.connectTimeoutMs,
    idleTimeoutMillis: idleConnectionMs,
    maxLifetimeSeconds: connectionLifetimeSeconds,
    stream: silence.socket,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
  });
  // An `error` event without a listener ends the process. The pool listens to its idle clients only; a client that is out on loan
  // loses its connection unheard between two statements of a transaction. The next statement fails, and says so.
  // At the end of the pool the server may be quicker than the goodbye of a connection, which is no news.
  pool.on('error', (error) => {
    if (!pool.ending) options.log.warn({ outage: true, error: error.message }, 'an idle database connection was lost');
  });
  pool.on('connect', (client) => client.on('error', () => {}));
  return Object.assign(pool, { silence });
}

/** The URL holds a password, and the parser's error holds the URL: so that error must not get out. */
function mustBeUrl(databaseUrl: string): void {
  if (URL.canParse(databaseUrl) && /^postgres(ql)?:/.test(databaseUrl)) return;
  throw new Error('the database URL is not of the form postgres://user:password@host:port/database');
}
