import type { WorkspaceParts } from '../../contract.ts';
import { waitingCounts } from './pool.ts';
import { awaitedSyncs, HeldPools } from './syncs.ts';
import { rulesOf } from './take.ts';

type Parts = Pick<WorkspaceParts, 'store' | 'runs' | 'pendingSyncs'>;

/** The number of runs that agents of a pool could take. Pools without any are absent. */
type Counts = ReadonlyMap<string, number>;

/** What this process has found out about the work for agents, by the id of the pool. */
export class PoolWork {
  readonly #parts: Parts;
  readonly #held: HeldPools;
  /** Pools for which the last look found no work. */
  #empty: Set<string> = new Set();
  #changes = 0;
  /** Looks for agents that ask now: the runs that none of them tries to take yet. */
  readonly #asked = new Map<string, Promise<{ runs: number }>>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#held = new HeldPools(parts);
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
    if (this.isEmpty(poolId)) return false;
    const found = await (this.#asked.get(poolId) ?? this.#ask(poolId));
    found.runs -= 1;
    return found.runs >= 0;
  }

  close(): void {
    this.#held.close();
    this.changed();
  }

  #ask(poolId: string): Promise<{ runs: number }> {
    const asked = this.#runsOf(poolId)
      .then((runs) => ({ runs }))
      .finally(() => this.#asked.delete(poolId));
    this.#asked.set(poolId, asked);
    return asked;
  }

  /** Those that wait for syncs included: the agent that tries to take them notes that in their logs. */
  async #runsOf(poolId: string): Promise<number> {
    const changes = this.#changes;
    const counts = await waitingCounts(this.#parts.store.db, [poolId], rulesOf(this.#parts, []));
    const runs = counts.get(poolId) ?? 0;
    if (runs === 0 && changes === this.#changes) this.#empty.add(poolId);
    return runs;
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
