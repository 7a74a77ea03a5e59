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
import { connectFailure } from '../failure.ts';
import type { Reachability } from '../reachability.ts';
import { StatementNames } from '../statements/names.ts';
import { type ConnectionParts, PoolConnection } from './connection.ts';
import { Idleness } from './idleness.ts';
import type { StorePool } from './pool.ts';

/**
 * Kysely on a `pg` pool. Kysely's own driver can neither prepare statements nor tell the pool which connections are unusable; this
 * one does both and converts every failure into an error of the store.
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

  /** Tests each idle connection before use; a new one needs no test. */
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
    // After a failed statement, COMMIT rolls the transaction back, which only its command tag shows.
    const tag = connection instanceof PoolConnection ? await connection.commit() : 'ROLLBACK';
    if (tag === 'ROLLBACK') throw new AbortedTransactionError();
  }

  /** Never throws, which would hide the original error. A connection that cannot roll back is closed, which rolls back. */
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
