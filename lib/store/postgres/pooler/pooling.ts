import pg from 'pg';
import type { Log } from '#core/log/log.ts';
import type { ServerClient } from '../connect/server-client.ts';
import { idleInTransactionMs, planningParameters } from '../connect/start-up.ts';
import { NoServer } from '../refusal.ts';
import { isPooled, keepsStatements, type SessionDefaults, sessionDefaults } from './look.ts';

/**
 * The kind of pooler in front of PostgreSQL. `none`: connections go directly to the server. `session`: each connection keeps one
 * server connection while it is open. `transaction`: each transaction may run on another server connection. `auto`: detect it.
 */
export type PoolerSetting = 'auto' | 'none' | 'session' | 'transaction';

/** Properties of a pooler in mode `transaction`. */
interface Shared {
  readonly keepsStatements: boolean;
  readonly defaults: SessionDefaults;
}

/** A pooler was detected, so the connection has to be opened again in another way. */
class MustReopen extends Error {}

const attemptsMax = 3;

/**
 * What the connections of a process can rely on, detected once. Behind a pooler that shares servers by transaction, nothing
 * outlasts a transaction: no start-up parameters or session settings, and no named statements unless the pooler keeps them.
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

  /** Whether a new connection sends its limits as start-up parameters. Poolers refuse or ignore these. */
  get sendsStartUpParameters(): boolean {
    return this.#kind === undefined || this.#kind === 'none';
  }

  get sharesServers(): boolean {
    return this.#kind === 'transaction';
  }

  get keepsNames(): boolean {
    if (this.#namesRefused) return false;
    return this.#kind !== 'transaction' || this.#known?.keepsStatements === true;
  }

  /** Called with each new connection before it is used. @throws MustReopen */
  async opened(client: ServerClient, statementTimeoutMs: number): Promise<void> {
    if (this.#kind === undefined) {
      const pooled = isPooled(client);
      this.#kind = pooled ? 'transaction' : 'none';
      // Its start-up parameters may have reached one of the servers, and the others do not have them.
      if (pooled) throw new MustReopen();
    }
    if (this.#kind === 'session') await client.query(sessionSettings(statementTimeoutMs));
    if (this.#kind !== 'transaction' || this.#known !== undefined) return;
    this.#shared ??= this.#look(client).finally(() => {
      this.#shared = undefined;
    });
    this.#known = await this.#shared;
  }

  /** Opens a connection; tries again when a failed attempt has shown that there is a pooler or what it refuses. */
  async retried<T>(open: () => Promise<T>, attempt = 1): Promise<T> {
    try {
      return await open();
    } catch (error) {
      if (attempt >= attemptsMax || !this.#hasLearned(error)) throw error;
      return this.retried(open, attempt + 1);
    }
  }

  #hasLearned(error: unknown): boolean {
    if (error instanceof MustReopen) return true;
    const causes = error instanceof NoServer ? error.causes : [error];
    if (!causes.some(isParameterRefusal)) return false;
    // If it is already set, a connection that was opened at the same time has detected the pooler.
    if (this.sendsStartUpParameters) this.#kind = 'transaction';
    return true;
  }

  /** A server did not know one of our prepared statements, or already had it: other clients share this server. */
  refusedName(): void {
    if (this.#namesRefused) return;
    this.#namesRefused = true;
    this.#log.warn(
      { pooler: 'transaction' },
      'a pooler shares the connections to the database: statements are no longer prepared; set KEYFERRY_DATABASE_POOLER=transaction',
    );
    // The servers do not have the limits that were sent at start-up, so from now on each transaction sets them.
    this.#kind = 'transaction';
  }

  /** SQL to append to `begin`: sets the limits that the server does not have by default, for this transaction only. */
  limits(statementTimeoutMs: number): string {
    if (this.#kind !== 'transaction') return '';
    const wanted = { statement_timeout: statementTimeoutMs, idle_in_transaction_session_timeout: idleInTransactionMs };
    return Object.entries(wanted)
      .filter(([name, ms]) => new Map(Object.entries(this.#known?.defaults ?? {})).get(name) !== ms)
      .map(([name, ms]) => `; set local ${name} = ${ms}`)
      .join('');
  }

  /** Whether the server has no such limit for a statement outside a transaction, so that we have to cancel it. */
  mustCancel(statementTimeoutMs: number): boolean {
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
