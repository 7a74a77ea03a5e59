import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { keysBelow } from '#queue/parts.ts';
import { openLevels } from '#queue/pending/levels.ts';
import { ending } from '../../support/services.ts';
import { farDeadline, keptLog, lockMs, operations, testQueue, type, until } from '../queues.ts';

const capacity = 1_000;
const ample = () => ({ concurrency: 2, lockMs, deadline: farDeadline(), reserveMs: 100 });

/** How a job in Redis may have been damaged, by hand or by another program. */
const damages = {
  'is no JSON': (redis: Redis, job: string) => redis.hset(job, 'data', '{"a":"1'),
  'names no association': (redis: Redis, job: string) => redis.hset(job, 'data', '{}'),
  'is a list': (redis: Redis, job: string) => redis.hset(job, 'data', '[1]'),
  'names something else': (redis: Redis, job: string) => redis.hset(job, 'data', '{"a":"x","d":"7"}'),
  'has options that are no JSON': (redis: Redis, job: string) => redis.hset(job, 'opts', '{'),
  'is gone': (redis: Redis, job: string) => redis.del(job),
};

/** A queue with three jobs, of which the second is damaged. */
async function damaged(damage: (redis: Redis, job: string) => Promise<unknown>) {
  const log = keptLog();
  const queue = await testQueue({ log });
  await queue.enqueue(operations(3), capacity);
  const redis = new Redis(queue.url);
  ending({ close: async () => redis.disconnect() });
  const jobs = keysBelow(queue.prefix).jobs(type);
  const [, second = ''] = (await redis.lrange(`${jobs}wait`, 0, -1)).toReversed();
  await damage(redis, `${jobs}${second}`);
  const levels = openLevels({ redisUrl: queue.url, prefix: queue.prefix, types: [type], log });
  ending({ close: async () => levels.close() });
  const set = () => log.lines.filter(({ message }) => message.includes('cannot be read'));
  const done: string[] = [];
  const handler = async ({ id }: { readonly id: string }) => {
    done.push(id);
    return { kind: 'done' as const, generation: 1 };
  };
  return { queue, redis, jobs, levels, set, done, handler };
}

describe.each(Object.entries(damages))('a job that %s', (_what, damage) => {
  test('is set aside by a drain, which runs the others, and is counted and logged once', async () => {
    const { queue, levels, set, done, handler } = await damaged(damage);
    await queue.drain(type, handler, ample());
    await queue.drain(type, handler, ample());
    expect(done.toSorted()).toEqual(['1', '3']);
    expect(set()).toHaveLength(1);
    expect((await levels.jobs()).get(type)).toEqual({ waiting: 0, active: 0, delayed: 0, unreadable: 1 });
  });

  test('is set aside by a consumer', async () => {
    const { queue, levels, set, done, handler } = await damaged(damage);
    queue.consume(type, handler, { concurrency: 2, lockMs });
    await until(async () => (await levels.jobs()).get(type)?.unreadable === 1 && done.length === 2 && set().length > 0);
    expect(done.toSorted()).toEqual(['1', '3']);
    expect(set()).toHaveLength(1);
  });

  test('lets its association be queued again', async () => {
    const { queue, done, handler } = await damaged(damage);
    await queue.drain(type, handler, ample());
    const missing = await queue.missing(operations(3));
    expect(missing).toContain('2');
    await queue.enqueue(
      operations(3).filter(({ id }) => id === '2'),
      capacity,
    );
    await queue.drain(type, handler, ample());
    expect(done.toSorted()).toEqual(['1', '2', '3']);
  });
});
