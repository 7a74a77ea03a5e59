import { coalesce } from '#core/concurrency/coalesce.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { waitingCounts } from './pool.ts';
import { awaitedSyncs, HeldPools } from './syncs.ts';
import { rulesOf } from './take.ts';

type Parts = Pick<WorkspaceParts, 'store' | 'runs' | 'pendingSyncs'>;

/** The number of runs that agents of a pool could take. Pools without any are absent. */
type Counts = ReadonlyMap<string, number>;

/** Agents that share a look when they ask together. */
const askMax = 1_000;

/** What this process has found out about the work for agents, by the id of the pool. */
export class PoolWork {
  readonly #parts: Parts;
  readonly #held: HeldPools;
  /** Pools for which the last look found no work. */
  #empty: Set<string> = new Set();
  #changes = 0;
  readonly #ask: (poolId: string) => Promise<boolean>;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#held = new HeldPools(parts);
    this.#ask = coalesce((poolIds) => this.#lookFor(poolIds), { batchSizeMax: askMax, batchesMax: 1 });
  }

  /** Whether the last look found no work for the pool, and nothing that this process did since then has made any. */
  isEmpty(poolId: string): boolean {
    return this.#empty.has(poolId);
  }

  /** Something in this process may have made work. */
  changed(): void {
    this.#changes += 1;
    this.#empty = new Set();
  }

  /** Looks for work for these pools. What was found for others is forgotten. */
  async look(pools: readonly string[]): Promise<Counts> {
    const changes = this.#changes;
    const counts = await this.#counts(pools).catch((error: unknown) => {
      // Requests report what is wrong with the database.
      this.changed();
      throw error;
    });
    if (changes === this.#changes) this.#empty = new Set(pools.filter((id) => !counts.has(id)));
    return counts;
  }

  /**
   * Whether an agent of the pool should try to take a run. Agents that ask together, as after a restart, share a look, and only as many of them
   * try as there are runs.
   */
  async mayTake(poolId: string): Promise<boolean> {
    return !this.isEmpty(poolId) && this.#ask(poolId);
  }

  close(): void {
    this.#held.close();
    this.changed();
  }

  /** For the pool of each agent that asks. Runs that wait for syncs count: the agent that tries to take one notes that in its log. */
  async #lookFor(poolIds: readonly string[]): Promise<readonly boolean[]> {
    const changes = this.#changes;
    const left = new Map(await waitingCounts(this.#parts.store.db, [...new Set(poolIds)], rulesOf(this.#parts, [])));
    if (changes === this.#changes) for (const id of poolIds) if (!left.has(id)) this.#empty.add(id);
    return poolIds.map((id) => {
      const runs = left.get(id) ?? 0;
      left.set(id, runs - 1);
      return runs > 0;
    });
  }

  /** Syncs are looked at only when there are runs that could wait for them. */
  async #counts(pools: readonly string[]): Promise<Counts> {
    const { db } = this.#parts.store;
    if (pools.length === 0) return new Map();
    const counts = await waitingCounts(db, pools, rulesOf(this.#parts, []));
    if (counts.size === 0) return counts;
    const syncs = await awaitedSyncs(this.#parts);
    if (syncs.length === 0) return counts;
    const free = await waitingCounts(db, pools, rulesOf(this.#parts, syncs));
    this.#held.note([...counts].filter(([id, runs]) => (free.get(id) ?? 0) < runs).map(([id]) => id));
    return free;
  }
}
