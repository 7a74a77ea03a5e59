import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '#infra/local/child.ts';
import { newPassword } from '#infra/local/password.ts';
import { type RedisOptions, redisUrl, startRedis } from '#infra/local/redis/start.ts';
import type { LocalServer } from '#infra/local/server.ts';
import type { Handler } from '#queue/contract.ts';
import { openGate } from '#queue/gate/gate.ts';
import { aborted } from '../support/measures/aborted.ts';
import { ending } from '../support/services.ts';
import { gateway, keptLog, operation, operations, testQueue, type, until } from './queues.ts';

const capacity = 10_000;
/** Time limit for waits; long enough for a Redis that is running. */
const limits = { commandMsMax: 3_000 };
const options = { concurrency: 8, lockMs: 1_500 };
const done: Handler = async () => ({ kind: 'done', generation: 1 });

/** A Redis that is restarted without its data keeps its password. */
const password = newPassword();

/** A separate Redis, because the test damages it. */
async function ownRedis(redisOptions: RedisOptions = {}): Promise<LocalServer> {
  const redis = await startRedis({ password, ...redisOptions });
  onTestFinished(() => redis.stop());
  return redis;
}

async function folder(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'keyferry-queue-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
}

const unavailable = { name: 'AppError', kind: 'unavailable' };

it('nothing is lost when Redis is restarted during the work', async () => {
  const dataDir = await folder();
  const port = await freePort();
  const redis = await ownRedis({ dataDir, port });
  const queue = await testQueue({ redisUrl: redis.url });
  await queue.enqueue(operations(2_000), capacity);
  const seen = new Set<string>();
  const halfway = gateway();
  queue.consume(
    type,
    async ({ id }) => {
      seen.add(id);
      if (seen.size === 500) halfway.open();
      await new Promise((resolve) => setTimeout(resolve, 1));
      return { kind: 'done', generation: 1 };
    },
    options,
  );
  await halfway.opened;
  await redis.stop();
  await ownRedis({ dataDir, port });
  await until(async () => (await queue.pendingCount().catch(() => 1)) === 0);
  expect(seen.size).toBe(2_000);
});

it('operations that a killed Redis had not written to disk are found missing and queued again', async () => {
  const dataDir = await folder();
  const port = await freePort();
  const redis = await ownRedis({ dataDir, port });
  const queue = await testQueue({ redisUrl: redis.url });
  await queue.enqueue(operations(500), capacity);
  const seen = new Set<string>();
  queue.consume(
    type,
    async ({ id }) => {
      seen.add(id);
      return { kind: 'done', generation: 1 };
    },
    options,
  );
  await until(() => seen.size > 50);
  await redis.kill();
  await ownRedis({ dataDir, port });
  await until(async () => {
    const unseen = operations(500).filter(({ id }) => !seen.has(id));
    const missing = new Set(await queue.missing(unseen).catch(() => []));
    await queue
      .enqueue(
        unseen.filter(({ id }) => missing.has(id)),
        capacity,
      )
      .catch(() => {});
    return seen.size === 500 && (await queue.pendingCount()) === 0;
  });
});

it('after FLUSHALL everything is missing, even operations in flight, and can be queued again', async () => {
  const redis = await ownRedis();
  const queue = await testQueue({ redisUrl: redis.url });
  const started = gateway();
  const goOn = gateway();
  let runs = 0;
  const handler: Handler = async () => {
    runs += 1;
    started.open();
    await goOn.opened;
    return { kind: 'done', generation: 1 };
  };
  queue.consume(type, handler, { concurrency: 1, lockMs: 1_500 });
  await queue.enqueue(operations(100), capacity);
  await started.opened;
  const client = new Redis(redis.url);
  await client.flushall();
  client.disconnect();
  expect(await queue.missing(operations(100))).toHaveLength(100);
  expect(await queue.pendingCount()).toBe(0);
  await queue.enqueue(operations(100), capacity);
  goOn.open();
  await until(async () => (await queue.pendingCount()) === 0);
  expect(runs).toBeGreaterThanOrEqual(100);
});

it('commands fail within their limit while Redis is down, and work again when it is back', async () => {
  const port = await freePort();
  const redis = await ownRedis({ port });
  const log = keptLog();
  const queue = await testQueue({ redisUrl: redis.url, limits, log });
  const gate = ending(openGate({ redisUrl: redis.url, limits }));
  const budget = { callsPerSecond: 1, burst: 5, concurrencyMax: 1, passMs: 1_000 };
  queue.consume(type, done, options);
  await queue.enqueue([operation(1)], capacity);
  const pass = await gate.enter('7', budget);
  await redis.stop();
  await expect(queue.enqueue([operation(2)], capacity)).rejects.toMatchObject(unavailable);
  await expect(queue.reserve(operation(2), capacity)).rejects.toMatchObject(unavailable);
  await expect(queue.missing([operation(2)])).rejects.toMatchObject(unavailable);
  await expect(queue.forget('0', async () => new Set())).rejects.toMatchObject(unavailable);
  await expect(queue.pause()).rejects.toMatchObject(unavailable);
  await expect(gate.enter('7', budget)).rejects.toMatchObject(unavailable);
  if (pass.admitted) await pass.leave('well');
  expect(await queue.settled('1', 10, new AbortController().signal)).toBe(false);
  await ownRedis({ port });
  await until(async () => {
    await queue.enqueue([operation(2)], capacity).catch(() => {});
    return (await queue.pendingCount().catch(() => 1)) === 0;
  });
  expect(log.lines.filter(({ message }) => message === 'Redis is back').length).toBeGreaterThan(0);
});

it('commands fail within their limit while Redis is silent', async () => {
  const redis = await ownRedis();
  const queue = await testQueue({ redisUrl: redis.url, limits });
  await queue.enqueue([operation(1)], capacity);
  const client = new Redis(redis.url);
  const pid = Number(/process_id:(\d+)/.exec(await client.info('server'))?.[1]);
  client.disconnect();
  process.kill(pid, 'SIGSTOP');
  try {
    await expect(queue.enqueue(operations(2_000), capacity)).rejects.toMatchObject(unavailable);
    await expect(queue.pendingCount()).rejects.toMatchObject(unavailable);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await until(async () => (await queue.enqueue(operations(2_000), capacity).catch(() => undefined)) !== undefined);
  expect(await queue.missing(operations(1_000))).toEqual([]);
});

it('a queue can be opened, used and closed before Redis is running', async () => {
  const port = await freePort();
  const queue = await testQueue({ redisUrl: redisUrl(port, password), limits });
  const seen: string[] = [];
  const consumer = queue.consume(
    type,
    async ({ id }) => {
      seen.push(id);
      return { kind: 'done', generation: 1 };
    },
    options,
  );
  await expect(queue.enqueue([operation(1)], capacity)).rejects.toMatchObject(unavailable);
  await ownRedis({ port });
  await until(async () => {
    await queue.enqueue([operation(1)], capacity).catch(() => {});
    return seen.length > 0;
  });
  await consumer.close(5_000);
});

it('a queue can be closed while Redis is down', async () => {
  const redis = await ownRedis();
  const queue = await testQueue({ redisUrl: redis.url, limits });
  const started = gateway();
  const handler: Handler = async (_job, signal) => {
    started.open();
    await aborted(signal);
    throw signal.reason;
  };
  const consumer = queue.consume(type, handler, options);
  await queue.enqueue([operation(1)], capacity);
  await started.opened;
  await redis.stop();
  await consumer.close(10);
  await queue.close();
});

it('a handler is stopped when its lock cannot be renewed', async () => {
  const redis = await ownRedis();
  const queue = await testQueue({ redisUrl: redis.url, limits });
  const started = gateway();
  const stopped = gateway();
  const handler: Handler = async (_job, signal) => {
    started.open();
    await aborted(signal);
    stopped.open();
    throw signal.reason;
  };
  queue.consume(type, handler, options);
  await queue.enqueue([operation(1)], capacity);
  await started.opened;
  await redis.stop();
  await stopped.opened;
});

it('the log warns about a Redis that may drop keys, and errors name one that is out of memory', async () => {
  const redis = await ownRedis();
  const client = new Redis(redis.url);
  await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
  const log = keptLog();
  const queue = await testQueue({ redisUrl: redis.url, log });
  await until(() => log.lines.some(({ message }) => message === 'Redis is not set up for a queue'));
  expect(JSON.stringify(log.lines)).toContain('noeviction');
  await client.config('SET', 'maxmemory-policy', 'noeviction');
  await client.config('SET', 'maxmemory', '1');
  await expect(queue.enqueue([operation(1)], capacity)).rejects.toThrow('out of memory');
  client.disconnect();
});
