import { expect } from 'vitest';
import type { Handler } from '#queue/contract.ts';
import type { SyncQueue } from '#queue/open.ts';
import { aborted } from '../support/measures/aborted.ts';
import { operation, operations, type, until } from './queues.ts';

/** Associations that change all the time, workers that sync them, and a sweep; the state is in memory. */
export interface Load {
  /** Number of finished operations. */
  readonly done: number;
  /** Requests that would have failed for a caller, by error message. */
  readonly refused: ReadonlyMap<string, number>;
  /** Stops the changes and waits until all operations are finished. */
  settle(): Promise<void>;
  /** The associations whose last change is not synced. */
  dirty(): readonly string[];
}

const capacity = 10_000;
const associationCount = 300;
const sweepMs = 100;

export function startLoad(queues: readonly [SyncQueue, ...SyncQueue[]], signal: AbortSignal): Load {
  const wanted = new Map<string, number>();
  const observed = new Map<string, number>();
  const refused = new Map<string, number>();
  const [queue] = queues;
  let done = 0;
  let changing = true;
  const dirty = () => [...wanted.keys()].filter((id) => (observed.get(id) ?? 0) < (wanted.get(id) ?? 0));
  const noted = async (work: Promise<unknown>) => {
    await work.catch((cause: Error & { kind?: string }) => {
      const text = `${cause.name} ${cause.kind}`;
      refused.set(text, (refused.get(text) ?? 0) + 1);
    });
  };
  const handler: Handler = async ({ id }) => {
    const generation = wanted.get(id) ?? 0;
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
    observed.set(id, Math.max(generation, observed.get(id) ?? 0));
    done += 1;
    return { kind: 'done', generation };
  };
  for (const one of queues) one.consume(type, handler, { concurrency: 8, lockMs: 2_000 });
  const change = async () => {
    while (changing && !signal.aborted) {
      const ids = Array.from({ length: 10 }, () => String(1 + Math.floor(Math.random() * associationCount)));
      const changed = [...new Set(ids)].map((id) => operation(id, (wanted.get(id) ?? 0) + 1));
      for (const { id, generation } of changed) wanted.set(id, generation);
      await noted(queue.enqueue(changed, capacity));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const sweep = async () => {
    while (!signal.aborted) {
      const left = dirty().map((id) => operation(id, wanted.get(id) ?? 1));
      const requeue = async () => {
        const missing = new Set(await queue.missing(left));
        await queue.enqueue(
          left.filter(({ id }) => missing.has(id)),
          capacity,
        );
      };
      await noted(requeue());
      await Promise.race([aborted(signal), new Promise((resolve) => setTimeout(resolve, sweepMs))]);
    }
  };
  void change();
  void sweep();
  return {
    get done() {
      return done;
    },
    refused,
    dirty,
    async settle() {
      changing = false;
      await until(() => dirty().length === 0);
    },
  };
}

/** Checks that everything is synced, that only outages caused failures, and that an empty queue accepts exactly its capacity. */
export async function settled(load: Load, queues: readonly SyncQueue[]): Promise<void> {
  await load.settle();
  expect(load.dirty()).toEqual([]);
  expect([...load.refused.keys()].filter((text) => text !== 'AppError unavailable')).toEqual([]);
  for (const queue of queues) await until(async () => (await queue.pendingCount().catch(() => 1)) === 0);
  expect(await acceptedOf(queues)).toBe(100);
}

/** Several callers fill an empty queue with a capacity of 100 at the same time; returns how many operations were accepted. */
async function acceptedOf(queues: readonly SyncQueue[]): Promise<number> {
  const room = 100;
  const answers = await Promise.all(queues.map((queue) => queue.enqueue(operations(200), room)));
  const refusedByAll = answers.map(({ refused }) => new Set(refused));
  return operations(200).filter(({ id }) => refusedByAll.some((refused) => !refused.has(id))).length;
}
