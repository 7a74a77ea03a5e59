import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type pg from 'pg';
import { isOutdatedPlan, isReadOnly, isRefusedName, queryFailure } from '../failure.ts';
import { cancel } from '../pooler/cancel.ts';
import type { Pooling } from '../pooler/pooling.ts';
import type { Reachability } from '../reachability.ts';
import type { SilenceWatch } from '../silence.ts';
import type { StatementNames } from '../statements/names.ts';
import type { Idleness } from './idleness.ts';

const changing: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** State that all connections of a pool share. */
export interface ConnectionParts {
  readonly names: StatementNames;
  readonly idleness: Idleness;
  readonly reachability: Reachability;
  readonly silence: SilenceWatch;
  readonly pooling: Pooling;
  readonly statementTimeoutMs: number;
}

/** A result with its column names, which are known even when there are no rows. */
interface NamedResult<R> extends QueryResult<R> {
  readonly fields: readonly pg.FieldDef[];
}

/** A connection on loan from the pool. */
export class PoolConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient;
  readonly #parts: ConnectionParts;
  #inTransaction = false;
  /** Close it instead of returning it to the pool: it is lost, or still runs a statement that we have abandoned. */
  #unusable = false;

  constructor(client: pg.PoolClient, parts: ConnectionParts) {
    this.#client = client;
    this.#parts = parts;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<NamedResult<R>> {
    const { command, rowCount, rows, fields } = await this.#send(query.sql, query.parameters);
    if (!changing.has(command) || rowCount === null) return { rows, fields };
    return { rows, fields, numAffectedRows: BigInt(rowCount) };
  }

  /** Sends `begin` and the limits that the server does not set itself in one round trip. */
  async begin(command: string): Promise<void> {
    const { pooling, statementTimeoutMs } = this.#parts;
    try {
      await this.#send(`${command}${pooling.limits(statementTimeoutMs)}`, []);
      this.#inTransaction = true;
    } catch (error) {
      // The transaction may or may not have begun; closing the connection ends it.
      this.#unusable = true;
      throw error;
    }
  }

  /** Returns the command tag, which alone tells whether the transaction was committed. */
  async commit(): Promise<string> {
    const { command } = await this.#send('commit', []);
    this.#inTransaction = false;
    return command;
  }

  async rollback(): Promise<void> {
    if (this.#unusable) return;
    try {
      await this.#send('rollback', []);
      this.#inTransaction = false;
    } catch {
      this.#unusable = true;
    }
  }

  release(): void {
    this.#parts.idleness.used(this.#client);
    this.#client.release(this.#unusable);
  }

  // biome-ignore lint/correctness/useYield: results are read whole; every listing is bounded by its page
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('the store does not stream results: read them page by page');
  }

  async #send(text: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    const { names, pooling, reachability, silence } = this.#parts;
    // A text without parameters may hold several statements, which cannot be prepared.
    const name = parameters.length === 0 || !pooling.keepsNames ? undefined : names.nameOf(text);
    silence.asked(this.#client);
    try {
      const result = await this.#query({ text, values: [...parameters], ...(name === undefined ? {} : { name }) });
      reachability.answered();
      silence.answered(this.#client);
      return result;
    } catch (cause) {
      const isNameUnusable = name !== undefined && this.#isNameUnusable(text, cause);
      // The statement has not run. Within a transaction the failure aborts everything, so the whole transaction is repeated instead.
      if (isNameUnusable && !this.#inTransaction) return this.#send(text, parameters);
      throw this.#failed(cause);
    }
  }

  /** Whether the statement failed because of its name. If so, it is sent without a name from then on. */
  #isNameUnusable(text: string, cause: unknown): boolean {
    if (isRefusedName(cause)) this.#parts.pooling.refusedName();
    else if (isOutdatedPlan(cause)) this.#parts.names.forget(text);
    else return false;
    return true;
  }

  /** Cancels a statement after the time limit where the server has no such limit, so that the connection becomes usable again. */
  #query(query: pg.QueryConfig): Promise<pg.QueryResult> {
    const { pooling, statementTimeoutMs } = this.#parts;
    if (this.#inTransaction || !pooling.mustCancel(statementTimeoutMs)) return this.#client.query(query);
    const timer = setTimeout(() => void cancel(this.#client), statementTimeoutMs);
    return this.#client.query(query).finally(() => clearTimeout(timer));
  }

  #failed(cause: unknown): unknown {
    const failure = queryFailure(cause);
    if (failure.unusable) {
      this.#unusable = true;
      this.#parts.reachability.lost();
      if (isReadOnly(cause)) this.#parts.silence.readOnly(this.#client);
    } else this.#parts.silence.answered(this.#client);
    return failure.error;
  }
}
