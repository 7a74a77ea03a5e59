import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { ending } from '../../support/services.ts';
import { answerOf, endProcess, startProcess } from '../child.ts';
import { farDeadline, operation, operations, testQueue, type, until } from '../queues.ts';

it('the capacity is exact when eight processes enqueue thousands of operations', async () => {
  const queue = await testQueue();
  const { url, prefix } = queue;
  const children = Array.from({ length: 8 }, (_, index) =>
    startProcess({ role: 'enqueue', url, prefix, firstId: index * 10_000, count: 2_000, capacity: 1_000 }),
  );
  const answers = await Promise.all(children.map(answerOf));
  const accepted = answers.map((answer) => (answer as { accepted: number }).accepted);
  expect(accepted.reduce((sum, count) => sum + count)).toBe(1_000);
  expect(await queue.pendingCount()).toBe(1_000);
});

it('two processes never have the same association in flight and lose no change', async () => {
  const queue = await testQueue();
  const { url, prefix } = queue;
  const client = new Redis(url);
  ending({ stop: async () => client.disconnect() });
  for (const _ of [1, 2]) startProcess({ role: 'work', url, prefix, concurrency: 16, lockMs: 10_000 });
  const wanted = new Map<string, number>();
  for (let round = 1; round <= 150; round += 1) {
    const ids = Array.from({ length: 20 }, () => String(Math.floor(Math.random() * 60)));
    const changed = [...new Set(ids)].map((id) => {
      const generation = (wanted.get(id) ?? 0) + 1;
      wanted.set(id, generation);
      return operation(id, generation, { waiting: Math.random() < 0.5 });
    });
    await client.hset(`${prefix}:wanted`, new Map(changed.map(({ id, generation }) => [id, generation])));
    await Promise.all([queue.enqueue(changed, 1_000), queue.enqueue(changed.toReversed(), 1_000)]);
  }
  await until(async () => (await queue.pendingCount()) === 0);
  const observed = await client.hgetall(`${prefix}:observed`);
  expect(new Map(Object.entries(observed).map(([id, generation]) => [id, Number(generation)]))).toEqual(wanted);
  expect(await client.get(`${prefix}:clashes`)).toBeNull();
});

it('another process runs the jobs of a killed one, and none is lost', async () => {
  const queue = await testQueue();
  const { url, prefix } = queue;
  const doomed = startProcess({ role: 'hang', url, prefix, concurrency: 5, lockMs: 600 });
  await queue.enqueue(operations(20), 1_000);
  await answerOf(doomed);
  await endProcess(doomed, 'SIGKILL');
  const seen = new Set<string>();
  queue.consume(
    type,
    async ({ id }) => {
      seen.add(id);
      return { kind: 'done', generation: 1 };
    },
    { concurrency: 5, lockMs: 600 },
  );
  await until(async () => (await queue.pendingCount()) === 0);
  expect(seen.size).toBe(20);
});

it('the sweep rings for the jobs of a killed function, and a drain runs them', async () => {
  const rung: string[] = [];
  const doorbell = {
    ring: async (which: string) => {
      rung.push(which);
    },
  };
  const queue = await testQueue({ doorbell });
  const { url, prefix } = queue;
  const doomed = startProcess({ role: 'hang', url, prefix, concurrency: 1, lockMs: 600 });
  await queue.enqueue([operation(1)], 1_000);
  await answerOf(doomed);
  await endProcess(doomed, 'SIGKILL');
  rung.length = 0;
  await until(async () => {
    await queue.wake();
    return rung.length > 0;
  });
  await until(async () => {
    const options = { concurrency: 1, lockMs: 600, deadline: farDeadline(), reserveMs: 100 };
    await queue.drain(type, async () => ({ kind: 'done', generation: 1 }), options);
    return (await queue.pendingCount()) === 0;
  });
});
