import pg from 'pg';
import type { Log } from '../../../core/log.ts';
import { NoServer } from '../connect/refusal.ts';
import type { ServerClient } from '../connect/server-client.ts';
import { idleInTransactionMs, planningParameters } from '../start-up.ts';
import { isPooled, keepsStatements, type SessionDefaults, sessionDefaults } from './look.ts';

/**
 * What stands between us and PostgreSQL. `none`: a connection is one to the server. `session`: a pooler that gives each connection a
 * server of its own while it is open. `transaction`: one that may give each transaction another server. `auto`: find out.
 */
export type PoolerSetting = 'auto' | 'none' | 'session' | 'transaction';

/** Known of a pooler in mode `transaction`. */
interface Shared {
  readonly keepsStatements: boolean;
  readonly defaults: SessionDefaults;
}

/** What has been found asks for another way to open the connection. */
class OpenedAnew extends Error {}

const openingsMax = 3;

/**
 * What the connections of a process rely on, found out once. Behind a pooler that shares servers by transaction nothing outlives a
 * transaction: no start-up parameters and session settings, and no named statements unless the pooler keeps them.
 */
export class Pooling {
  #kind: Exclude<PoolerSetting, 'auto'> | undefined;
  #shared: Promise<Shared> | undefined;
  #known: Shared | undefined;
  #namesRefused = false;
  readonly #log: Log;

  constructor(setting: PoolerSetting, log: Log) {
    this.#kind = setting === 'auto' ? undefined : setting;
    this.#log = log;
  }

  /** Whether a new connection asks the server for its limits as it opens. Poolers refuse that, or take no notice. */
  get asksAtStartUp(): boolean {
    return this.#kind === undefined || this.#kind === 'none';
  }

  get sharesServers(): boolean {
    return this.#kind === 'transaction';
  }

  get keepsNames(): boolean {
    if (this.#namesRefused) return false;
    return this.#kind !== 'transaction' || this.#known?.keepsStatements === true;
  }

  /** Called with each new connection before it is used. @throws OpenedAnew */
  async opened(client: ServerClient, statementTimeoutMs: number): Promise<void> {
    if (this.#kind === undefined) {
      const pooled = isPooled(client);
      this.#kind = pooled ? 'transaction' : 'none';
      // What it asked for may have come to one of the servers, and is not what the others have.
      if (pooled) throw new OpenedAnew();
    }
    if (this.#kind === 'session') await client.query(sessionSettings(statementTimeoutMs));
    if (this.#kind !== 'transaction' || this.#known !== undefined) return;
    this.#shared ??= this.#look(client).finally(() => {
      this.#shared = undefined;
    });
    this.#known = await this.#shared;
  }

  /** Opens a connection, and once more with what the first attempts have taught: that there is a pooler, what it refuses. */
  async retried<T>(open: () => Promise<T>, attempt = 1): Promise<T> {
    try {
      return await open();
    } catch (error) {
      if (attempt >= openingsMax || !this.#hasLearned(error)) throw error;
      return this.retried(open, attempt + 1);
    }
  }

  #hasLearned(error: unknown): boolean {
    if (error instanceof OpenedAnew) return true;
    const causes = error instanceof NoServer ? error.causes : [error];
    if (!causes.some(isParameterRefusal)) return false;
    // Otherwise it was opened together with one that has found it out already.
    if (this.asksAtStartUp) this.#kind = 'transaction';
    return true;
  }

  /** A server did not know a statement of ours, or knew it already: it is not ours alone. */
  refusedName(): void {
    if (this.#namesRefused) return;
    this.#namesRefused = true;
    this.#log.warn(
      { pooler: 'transaction' },
      'a pooler shares the connections to the database: statements are no longer prepared; set KEYFERRY_DATABASE_POOLER=transaction',
    );
    // Limits were asked for when connections opened, and are not with the servers: from now on they come with each transaction.
    this.#kind = 'transaction';
  }

  /** Follows `begin`: the limits that the server does not have by itself, for this transaction alone. */
  limits(statementTimeoutMs: number): string {
    if (this.#kind !== 'transaction') return '';
    const wanted = { statement_timeout: statementTimeoutMs, idle_in_transaction_session_timeout: idleInTransactionMs };
    return Object.entries(wanted)
      .filter(([name, ms]) => new Map(Object.entries(this.#known?.defaults ?? {})).get(name) !== ms)
      .map(([name, ms]) => `; set local ${name} = ${ms}`)
      .join('');
  }

  /** Whether a statement outside of a transaction has no limit of the server's, so that we have to end it. */
  hasOwnLimit(statementTimeoutMs: number): boolean {
    return this.#kind === 'transaction' && this.#known?.defaults.statement_timeout !== statementTimeoutMs;
  }

  async #look(client: pg.ClientBase): Promise<Shared> {
    const defaults = await sessionDefaults(client);
    const kept = await keepsStatements(client);
    this.#log.info(
      { pooler: 'transaction', keepsStatements: kept, ...defaults },
      'a pooler shares the connections to the database by transaction',
    );
    return { keepsStatements: kept, defaults };
  }
}

const sessionSettings = (statementTimeoutMs: number): string =>
  Object.entries({
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    ...planningParameters,
  })
    .map(([name, value]) => `set ${name} = ${value}`)
    .join('; ');

/** PgBouncer: 08P01 "unsupported startup parameter". RDS Proxy: 0A000 "doesn't support command-line options". */
const isParameterRefusal = (cause: unknown): boolean =>
  cause instanceof pg.DatabaseError &&
  (cause.code === '08P01' || cause.code === '0A000') &&
  /startup parameter|command-line options/i.test(cause.message);
