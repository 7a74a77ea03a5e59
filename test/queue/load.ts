import { expect } from 'vitest';
import type { Handler } from '../../lib/queue/contract.ts';
import type { SyncQueue } from '../../lib/queue/open.ts';
import { aborted } from '../support/aborted.ts';
import { operation, operations, type, until } from './queues.ts';

/** Associations that change all the time, the workers that bring them in line, and a sweep, which reads what this store holds. */
export interface Load {
  /** How many operations have been worked off. */
  readonly done: number;
  /** Requests that a caller would have seen fail, by what they said. */
  readonly refused: ReadonlyMap<string, number>;
  /** No change is made any more; ends when all are worked off. */
  settle(): Promise<void>;
  /** The associations that are not as they were last changed. */
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

/** Everything is worked off; no other failure than that of an outage was seen; an empty queue takes exactly what it has room for. */
export async function settled(load: Load, queues: readonly SyncQueue[]): Promise<void> {
  await load.settle();
  expect(load.dirty()).toEqual([]);
  expect([...load.refused.keys()].filter((text) => text !== 'AppError unavailable')).toEqual([]);
  for (const queue of queues) await until(async () => (await queue.pendingCount().catch(() => 1)) === 0);
  expect(await acceptedOf(queues)).toBe(100);
}

/** Several callers fill an empty queue that has room for 100 at once: answers how many operations were accepted. */
async function acceptedOf(queues: readonly SyncQueue[]): Promise<number> {
  const room = 100;
  const answers = await Promise.all(queues.map((queue) => queue.enqueue(operations(200), room)));
  const refusedByAll = answers.map(({ refused }) => new Set(refused));
  return operations(200).filter(({ id }) => refusedByAll.some((refused) => !refused.has(id))).length;
}
