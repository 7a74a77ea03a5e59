import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Outcome } from '#queue/contract.ts';
import { lockMs, operation, testQueue, type, until } from '../queues.ts';

const hourMs = 3_600_000;
const capacity = 100;
const options = { concurrency: 1, lockMs };

/** How far the clock of this machine is ahead of the clock of Redis. */
let aheadMs = 0;
const realNow = Date.now;
beforeEach(() => {
  aheadMs = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => realNow() + aheadMs);
});
afterEach(() => void vi.restoreAllMocks());

/** A queue whose consumer delays the first job by this time, and finishes it when it comes back. */
async function delayJob(afterMs: number) {
  const queue = await testQueue();
  const seen: string[] = [];
  const handler = async ({ id }: { readonly id: string }): Promise<Outcome> => {
    seen.push(id);
    const isFirst = id === '1' && seen.filter((one) => one === '1').length === 1;
    return isFirst ? { kind: 'again', afterMs, firm: true } : { kind: 'done', generation: 1 };
  };
  const consumer = queue.consume(type, handler, options);
  await queue.enqueue([operation(1)], capacity);
  await until(() => seen.length === 1);
  /** Adds another job. When it has run, the ending of the first one is stored, since the concurrency is one. */
  async function another(id: number): Promise<void> {
    await queue.enqueue([operation(id)], capacity);
    await until(() => seen.includes(String(id)));
  }
  await another(2);
  return { queue, consumer, seen, another };
}

describe('a job that was delayed', () => {
  it('comes back soon after the clock was set back by an hour', async () => {
    aheadMs = hourMs;
    const { queue, seen, another } = await delayJob(60_000);
    aheadMs = 0;
    await another(3);
    expect(seen).toEqual(['1', '2', '3']);
    expect(await queue.promoteStranded()).toBe(1);
    await until(() => seen.length === 4);
    expect(seen.at(-1)).toBe('1');
  });

  it('comes back when it is due by the clock of Redis, even if the clocks of the workers are behind', async () => {
    aheadMs = -hourMs;
    const { queue, seen } = await delayJob(60_000);
    expect(await queue.promoteStranded()).toBe(1);
    await until(() => seen.length === 3);
    expect(seen.at(-1)).toBe('1');
  });

  it('is left alone until it is due, however long that takes', async () => {
    const { queue, seen, another } = await delayJob(5 * hourMs);
    expect(await queue.promoteStranded()).toBe(0);
    await another(3);
    expect(seen).toEqual(['1', '2', '3']);
  });
});
