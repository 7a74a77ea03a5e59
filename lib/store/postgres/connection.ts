import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type pg from 'pg';
import { isOutdatedPlan, isReadOnly, isRefusedName, queryFailure } from './failure.ts';
import type { Idleness } from './idleness.ts';
import { cancel } from './pooler/cancel.ts';
import type { Pooling } from './pooler/pooling.ts';
import type { Reachability } from './reachability.ts';
import type { SilenceWatch } from './silence.ts';
import type { StatementNames } from './statement-names.ts';

const changing: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** What the connections of a pool share. */
export interface ConnectionParts {
  readonly names: StatementNames;
  readonly idleness: Idleness;
  readonly reachability: Reachability;
  readonly silence: SilenceWatch;
  readonly pooling: Pooling;
  readonly statementTimeoutMs: number;
}

/** A connection on loan from the pool. */
export class PoolConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient;
  readonly #parts: ConnectionParts;
  #inTransaction = false;
  /** Closed instead of given back: lost, or still at work on a statement that we gave up. */
  #unusable = false;

  constructor(client: pg.PoolClient, parts: ConnectionParts) {
    this.#client = client;
    this.#parts = parts;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.#send(query.sql, query.parameters);
    if (!changing.has(command) || rowCount === null) return { rows };
    return { rows, numAffectedRows: BigInt(rowCount) };
  }

  /** One round trip, with the limits that the server does not have by itself. */
  async begin(command: string): Promise<void> {
    const { pooling, statementTimeoutMs } = this.#parts;
    try {
      await this.#send(`${command}${pooling.limits(statementTimeoutMs)}`, []);
      this.#inTransaction = true;
    } catch (error) {
      // Begun or not: it is not left open.
      this.#unusable = true;
      throw error;
    }
  }

  /** Answers the tag, which alone says whether it was a commit. */
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
    // Without parameters a text may hold several statements, which cannot be prepared.
    const name = parameters.length === 0 || !pooling.keepsNames ? undefined : names.nameOf(text);
    silence.asked(this.#client);
    try {
      const result = await this.#query({ text, values: [...parameters], ...(name === undefined ? {} : { name }) });
      reachability.answered();
      silence.answered(this.#client);
      return result;
    } catch (cause) {
      const isPreparedInVain = name !== undefined && this.#isPreparedInVain(text, cause);
      // It has not begun to run. In a transaction nothing else runs either, so the whole of that is repeated.
      if (isPreparedInVain && !this.#inTransaction) return this.#send(text, parameters);
      throw this.#failed(cause);
    }
  }

  /** Whether the statement failed for the name that it was sent with. It then gets none when it is sent again. */
  #isPreparedInVain(text: string, cause: unknown): boolean {
    if (isRefusedName(cause)) this.#parts.pooling.refusedName();
    else if (isOutdatedPlan(cause)) this.#parts.names.forget(text);
    else return false;
    return true;
  }

  /** Ends a statement that has no limit of the server's: the connection is of use again then. */
  #query(query: pg.QueryConfig): Promise<pg.QueryResult> {
    const { pooling, statementTimeoutMs } = this.#parts;
    if (this.#inTransaction || !pooling.hasOwnLimit(statementTimeoutMs)) return this.#client.query(query);
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
