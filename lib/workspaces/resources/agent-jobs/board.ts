import type { WorkspaceParts } from '../../contract.ts';
import { waitingCounts } from './pool.ts';
import { awaitedSyncs } from './syncs.ts';
import { rulesOf } from './take.ts';

/** Interval at which work for waiting agents is looked for, in milliseconds: one statement for all of them. */
const lookMs = 500;

type BoardParts = Pick<WorkspaceParts, 'store' | 'runs' | 'pendingSyncs'>;

interface Waiter {
  readonly poolId: string;
  wake(): void;
}

/** Agents of this process that wait for work. They share one statement, however many they are. */
export class Board {
  readonly #parts: BoardParts;
  readonly #waiters = new Set<Waiter>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(parts: BoardParts) {
    this.#parts = parts;
  }

  /** Resolves when there may be work for an agent of the pool, after `waitMs`, or when `signal` aborts. */
  wait(poolId: string, waitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#closed || signal.aborted || waitMs <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timeout);
        signal.removeEventListener('abort', wake);
        this.#waiters.delete(waiter);
        resolve();
      };
      const waiter = { poolId, wake };
      const timeout = setTimeout(wake, waitMs);
      signal.addEventListener('abort', wake, { once: true });
      this.#waiters.add(waiter);
      this.#timer ??= setTimeout(() => this.#look(), lookMs);
    });
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const { wake } of [...this.#waiters]) wake();
  }

  async #look(): Promise<void> {
    try {
      const pools = [...new Set([...this.#waiters].map(({ poolId }) => poolId))];
      if (pools.length > 0) this.#wake(await this.#counts(pools));
    } catch {
      // The next look finds what this one missed, and requests report what is wrong with the database.
    }
    const goesOn = this.#waiters.size > 0 && !this.#closed;
    this.#timer = goesOn ? setTimeout(() => this.#look(), lookMs) : undefined;
  }

  /** Syncs are looked at only when there are runs that could wait for them. */
  async #counts(pools: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { store } = this.#parts;
    const counts = await waitingCounts(store.db, pools, rulesOf(this.#parts, []));
    if (counts.size === 0) return counts;
    const syncs = await awaitedSyncs(this.#parts);
    return syncs.length === 0 ? counts : waitingCounts(store.db, pools, rulesOf(this.#parts, syncs));
  }

  /** Wakes as many agents of a pool as there are runs for it, those first that have waited longest. */
  #wake(counts: ReadonlyMap<string, number>): void {
    const left = new Map(counts);
    for (const { poolId, wake } of [...this.#waiters]) {
      const runs = left.get(poolId) ?? 0;
      if (runs > 0) wake();
      left.set(poolId, runs - 1);
    }
  }
}
