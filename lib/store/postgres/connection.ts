import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type pg from 'pg';
import { queryFailure } from './failure.ts';
import type { Reachability } from './reachability.ts';
import type { StatementNames } from './statements.ts';

const changing: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** A connection on loan from the pool. */
export class PoolConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient;
  readonly #names: StatementNames;
  readonly #reachability: Reachability;
  /** Closed instead of given back: lost, or still at work on a statement that we gave up. */
  #unusable = false;

  constructor(client: pg.PoolClient, names: StatementNames, reachability: Reachability) {
    this.#client = client;
    this.#names = names;
    this.#reachability = reachability;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.#send(query.sql, query.parameters);
    if (!changing.has(command) || rowCount === null) return { rows };
    return { rows, numAffectedRows: BigInt(rowCount) };
  }

  /** Runs a command without parameters and answers its tag. */
  async run(command: string): Promise<string> {
    return (await this.#send(command, [])).command;
  }

  async rollback(): Promise<void> {
    if (this.#unusable) return;
    await this.#send('rollback', []).catch(() => {
      this.#unusable = true;
    });
  }

  release(): void {
    this.#client.release(this.#unusable);
  }

  // biome-ignore lint/correctness/useYield: results are read whole; every listing is bounded by its page
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('the store does not stream results: read them page by page');
  }

  async #send(text: string, parameters: readonly unknown[]) {
    // Without parameters a text may hold several statements, which cannot be prepared.
    const name = parameters.length === 0 ? undefined : this.#names.nameOf(text);
    try {
      const result = await this.#client.query({
        text,
        values: [...parameters],
        ...(name === undefined ? {} : { name }),
      });
      this.#reachability.answered();
      return result;
    } catch (cause) {
      throw this.#failed(cause);
    }
  }

  #failed(cause: unknown): unknown {
    const failure = queryFailure(cause);
    if (failure.unusable) {
      this.#unusable = true;
      this.#reachability.lost();
    }
    return failure.error;
  }
}
