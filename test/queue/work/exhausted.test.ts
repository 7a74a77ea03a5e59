import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Handler, Outcome } from '#queue/contract.ts';
import { aborted } from '../../support/measures/aborted.ts';
import { ending } from '../../support/services.ts';
import { farDeadline, keptLog, lockMs, operation, testQueue, type, until } from '../queues.ts';

const capacity = 10;
const done: Outcome = { kind: 'done', generation: 1 };
const options = { concurrency: 1, lockMs };
const drainOptions = () => ({ ...options, deadline: farDeadline(), reserveMs: 100 });
type TestQueue = Awaited<ReturnType<typeof testQueue>>;

const ways = {
  'a consumer': async (queue: TestQueue, handler: Handler) => {
    const consumer = queue.consume(type, handler, options);
    await until(async () => (await queue.pendingCount()) === 0);
    await consumer.close(5_000);
  },
  'a drain': async (queue: TestQueue, handler: Handler) => {
    while ((await queue.pendingCount()) > 0) await queue.drain(type, handler, drainOptions());
  },
};

it('a Redis command that times out is logged as an outage, not as an unexpected error', async () => {
  const log = keptLog();
  const queue = await testQueue({ log });
  const redis = new Redis(queue.url, { commandTimeout: 50 });
  onTestFinished(() => redis.disconnect());
  await queue.enqueue([operation(1)], capacity);
  let runs = 0;
  await ways['a consumer'](queue, async () => {
    runs += 1;
    if (runs === 1) await redis.blpop(`${queue.prefix}:nothing`, 0);
    return done;
  });
  expect(log.lines.filter(({ message }) => message.startsWith('a sync job'))).toMatchObject([
    {
      message: 'a sync job has to wait',
      fields: { outage: true, error: 'the sync queue cannot be used: Redis did not answer in time; try again' },
    },
  ]);
});

describe.each(Object.entries(ways))('a job that %s is handed with a deferred failure', (_, workOff) => {
  it('fails and gives its operation a new job, which runs like any other', async () => {
    const { queue, redis, key } = await exhaustedJob();
    const runs: { readonly exhausted: boolean; readonly job: string | undefined }[] = [];
    let missing: readonly string[] | undefined;
    await workOff(queue, async ({ exhausted = false, job }) => {
      runs.push({ exhausted, job });
      if (exhausted) return { kind: 'failed', afterMs: 50 };
      missing = await queue.missing([operation(1)]);
      return done;
    });
    expect(runs).toEqual([
      { exhausted: true, job: '1' },
      { exhausted: false, job: '2' },
    ]);
    expect(missing).toEqual([]);
    expect(await redis.keys(`${key('')}[0-9]*`)).toEqual([]);
    expect(await redis.zcard(key('failed'))).toBe(0);
  });

  it('does not delay the job of a newer change', async () => {
    const { queue } = await exhaustedJob();
    const runs: boolean[] = [];
    await workOff(queue, async ({ exhausted = false }) => {
      runs.push(exhausted);
      if (!exhausted) return { kind: 'done', generation: 2 };
      await queue.enqueue([operation(1, 2)], capacity);
      return { kind: 'failed', afterMs: 3_600_000 };
    });
    expect(runs).toEqual([true, false]);
  });

  it('stays exhausted while its association cannot be claimed', async () => {
    const { queue } = await exhaustedJob();
    const runs: boolean[] = [];
    await workOff(queue, async ({ exhausted = false }) => {
      runs.push(exhausted);
      if (runs.length < 3) return { kind: 'again', afterMs: 10 };
      return exhausted ? { kind: 'failed', afterMs: 10 } : done;
    });
    expect(runs).toEqual([true, true, true, false]);
  });
});

it('a job that loses its worker repeatedly runs a few times and is then delivered as exhausted', async () => {
  const queue = await testQueue();
  const redis = ending(stoppable(new Redis(queue.url)));
  const runs: boolean[] = [];
  const handler: Handler = async ({ exhausted = false }, signal) => {
    runs.push(exhausted);
    if (exhausted) return done;
    await redis.client.del(`${queue.prefix}:sync-${type}:1:lock`);
    await aborted(signal);
    throw signal.reason;
  };
  await queue.enqueue([operation(1)], capacity);
  const consumer = queue.consume(type, handler, { concurrency: 1, lockMs: 1_500 });
  await until(async () => (await queue.pendingCount()) === 0);
  await consumer.close(5_000);
  expect(runs).toEqual([false, false, false, false, false, true]);
});

/** A job that is marked as after too many stalls. */
async function exhaustedJob() {
  const queue = await testQueue();
  const redis = ending(stoppable(new Redis(queue.url)));
  const key = (rest: string) => `${queue.prefix}:sync-${type}:${rest}`;
  await queue.enqueue([operation(1)], capacity);
  await redis.client.hset(key('1'), 'stc', '5', 'defa', 'job stalled more than allowable limit');
  return { queue, redis: redis.client, key };
}

const stoppable = (client: Redis) => ({ client, stop: async () => client.disconnect() });
