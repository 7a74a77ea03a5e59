import { createHash } from 'node:crypto';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type pg from 'pg';
import { isReadOnly, queryFailure } from './failure.ts';
import type { Reachability } from './reachability.ts';
import type { SilenceWatch } from './silence.ts';

const changing: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** What the connections of a pool share. */
export interface ConnectionParts {
  readonly names: StatementNames;
  readonly reachability: Reachability;
  readonly silence: SilenceWatch;
}

/** A connection on loan from the pool. */
export class PoolConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient;
  readonly #names: StatementNames;
  readonly #reachability: Reachability;
  readonly #silence: SilenceWatch;
  /** Closed instead of given back: lost, or still at work on a statement that we gave up. */
  #unusable = false;

  constructor(client: pg.PoolClient, { names, reachability, silence }: ConnectionParts) {
    this.#client = client;
    this.#names = names;
    this.#reachability = reachability;
    this.#silence = silence;
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
    this.#silence.asked(this.#client);
    try {
      const result = await this.#client.query({
        text,
        values: [...parameters],
        ...(name === undefined ? {} : { name }),
      });
      this.#reachability.answered();
      this.#silence.answered(this.#client);
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
      if (isReadOnly(cause)) this.#silence.readOnly(this.#client);
    } else this.#silence.answered(this.#client);
    return failure.error;
  }
}

/** So often a text must come before it gets a name: what is asked once or twice would only fill the server's memory. */
const repeatsMin = 4;
/** Names per process, so also prepared statements per connection. */
const namesMax = 200;
/** Texts that are being counted. */
const candidatesMax = 2_000;

/**
 * Names for the statements that come again and again. `pg` prepares a statement once per connection if it has a name, and
 * PostgreSQL then parses and plans it no more. Texts of changing length (`in (...)` lists) rarely repeat and stay nameless.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #candidates = new Map<string, number>();

  /** The name of a statement that is hot; undefined: send it as it is. */
  nameOf(text: string): string | undefined {
    const name = this.#names.get(text);
    if (name !== undefined || this.#names.size >= namesMax) return name;
    const seen = (this.#candidates.get(text) ?? 0) + 1;
    if (seen >= repeatsMin) return this.#promote(text);
    if (this.#candidates.size >= candidatesMax) this.#candidates.clear();
    this.#candidates.set(text, seen);
    return undefined;
  }

  #promote(text: string): string {
    this.#candidates.delete(text);
    // Of the text, not a running number: connections that a pooler shares between processes see one name per text.
    const name = `k${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
    this.#names.set(text, name);
    return name;
  }
}
