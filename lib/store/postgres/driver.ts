import {
  AbortedTransactionError,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import type pg from 'pg';
import { type ConnectionParts, PoolConnection } from './connection.ts';
import { connectFailure } from './failure.ts';
import { Idleness } from './idleness.ts';
import type { StorePool } from './pool.ts';
import type { Reachability } from './reachability.ts';
import { StatementNames } from './statement-names.ts';

/**
 * Kysely on a `pg` pool. Kysely's own driver can neither prepare statements nor notify the pool which connections are no longer usable,
 * so this one does both and turns every failure into the errors of the store.
 */
export function poolDialect(pool: StorePool, reachability: Reachability): Dialect {
  return {
    createDriver: () => new PoolDriver(pool, reachability),
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

class PoolDriver implements Driver {
  readonly #pool: StorePool;
  readonly #reachability: Reachability;
  readonly #parts: ConnectionParts;

  constructor(pool: StorePool, reachability: Reachability) {
    this.#pool = pool;
    this.#reachability = reachability;
    const { silence, pooling, statementTimeoutMs } = pool;
    this.#parts = {
      names: new StatementNames(),
      idleness: new Idleness(),
      reachability,
      silence,
      pooling,
      statementTimeoutMs,
    };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PoolConnection> {
    try {
      return new PoolConnection(await this.#connect(), this.#parts);
    } catch (cause) {
      const failure = connectFailure(cause);
      if (failure.unusable) this.#reachability.lost();
      throw failure.error;
    }
  }

  /** Of those that were idle each is tried once; a new one needs no trial. */
  async #connect(): Promise<pg.PoolClient> {
    const client = await this.#pool.connect();
    if (await this.#parts.idleness.isAlive(client)) return client;
    client.release(true);
    return this.#connect();
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const level = settings.isolationLevel === undefined ? '' : ` isolation level ${settings.isolationLevel}`;
    const access = settings.accessMode === undefined ? '' : ` ${settings.accessMode}`;
    if (connection instanceof PoolConnection) await connection.begin(`begin${level}${access}`);
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    // In a transaction in which a statement has failed, COMMIT rolls back and says so in its tag alone.
    const tag = connection instanceof PoolConnection ? await connection.commit() : 'ROLLBACK';
    if (tag === 'ROLLBACK') throw new AbortedTransactionError();
  }

  /** Never throws: it would hide the error that led here. A connection that cannot roll back is closed, which does. */
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (connection instanceof PoolConnection) await connection.rollback();
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    if (connection instanceof PoolConnection) connection.release();
  }

  async destroy(): Promise<void> {
    this.#pool.silence.end();
    await this.#pool.end();
  }
}
