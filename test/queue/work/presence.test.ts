import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import type { Outcome } from '#queue/contract.ts';
import { farDeadline, lockMs, otherType, testQueue, type, until } from '../queues.ts';

const done: Outcome = { kind: 'done', generation: 1 };
const options = { concurrency: 1, lockMs };

type Opened = Awaited<ReturnType<typeof testQueue>>;
const seen = async (queue: Opened, of = type) => (await queue.workers()).get(of)?.seen;

/** Lets a minute pass since all that was said of the workers of a type. */
async function later({ url, prefix }: Opened): Promise<void> {
  const redis = new Redis(url);
  const key = `${prefix}:workers:${type}`;
  for (const member of await redis.zrange(key, '0', '-1')) await redis.zincrby(key, -60_001, member);
  redis.disconnect();
}

test('consumers of all processes are seen by type, until they are closed', async () => {
  const queue = await testQueue();
  const other = await testQueue({ prefix: queue.prefix });
  expect([...(await queue.workers())]).toEqual([
    [type, { seen: 0, lastSeenAt: undefined }],
    [otherType, { seen: 0, lastSeenAt: undefined }],
  ]);
  const consumers = [queue, queue, other].map((one) => one.consume(type, async () => done, options));
  await until(async () => (await seen(other)) === 3);
  expect(await seen(other, otherType)).toBe(0);
  await consumers[0]?.close(1_000);
  await until(async () => (await seen(other)) === 2);
  await Promise.all(consumers.map((one) => one.close(1_000)));
  await until(async () => (await seen(other)) === 0);
  expect((await other.workers()).get(type)?.lastSeenAt).toBeInstanceOf(Date);
});

test('a consumer at rest is no worker', async () => {
  const queue = await testQueue();
  const consumer = queue.consume(type, async () => done, { ...options, atRest: true });
  expect(await seen(queue)).toBe(0);
  consumer.rest(false);
  await until(async () => (await seen(queue)) === 1);
  consumer.rest(true);
  await until(async () => (await seen(queue)) === 0);
});

test('a function is one worker however often it runs, for a minute', async () => {
  const queue = await testQueue();
  for (let count = 0; count < 3; count += 1)
    await queue.drain(type, async () => done, { ...options, deadline: farDeadline(), reserveMs: 100 });
  expect(await seen(queue)).toBe(1);
  await later(queue);
  const after = (await queue.workers()).get(type);
  expect(after).toEqual({ seen: 0, lastSeenAt: expect.any(Date) });
});
