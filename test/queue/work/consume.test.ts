import { Job } from 'bullmq';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Handler, Outcome } from '#queue/contract.ts';
import { aborted } from '../../support/measures/aborted.ts';
import { ending } from '../../support/services.ts';
import { farDeadline, gateway, keptLog, lockMs, operation, operations, testQueue, type, until } from '../queues.ts';

const capacity = 10_000;
const options = { concurrency: 4, lockMs };
const done = (generation = 1): Outcome => ({ kind: 'done', generation });

/** A handler that records its job and finishes it. */
const counted =
  (note: (job: { readonly id: string; readonly destinationId: string }) => void, generation = 1): Handler =>
  async (job) => {
    note(job);
    return done(generation);
  };

/** The jobs and deduplication keys of a type that are left in Redis. */
async function leftovers(url: string, prefix: string): Promise<string[]> {
  const redis = new Redis(url);
  const keys = await redis.keys(`${prefix.replace(/[{}]/g, '?')}:sync-${type}:*`);
  redis.disconnect();
  return keys.filter((key) => /:(\d+|de:.*|dn:.*|wait|active|delayed|failed|completed)$/.test(key));
}

describe('a consumer', () => {
  it('runs each job once and removes its operation', async () => {
    const queue = await testQueue();
    const seen: string[] = [];
    queue.consume(
      type,
      counted(({ id, destinationId }) => seen.push(`${id}>${destinationId}`)),
      options,
    );
    await queue.enqueue(operations(50), capacity);
    await until(async () => (await queue.pendingCount()) === 0);
    expect(seen.toSorted()).toEqual(
      operations(50)
        .map(({ id }) => `${id}>7`)
        .toSorted(),
    );
    await until(async () => (await leftovers(queue.url, queue.prefix)).length === 0);
  });

  it('takes no jobs while at rest, from its start or later, and continues afterwards', async () => {
    const queue = await testQueue();
    const taken: string[][] = [[], []];
    const round = (nth: number) => Array.from({ length: 20 }, (_, at) => operation(nth * 20 + at));
    const note = (who: number) => counted(({ id }) => taken[who]?.push(id));
    const resting = queue.consume(type, note(0), { ...options, atRest: true });
    const other = queue.consume(type, note(1), options);
    await queue.enqueue(round(0), capacity);
    await until(async () => (await queue.pendingCount()) === 0);
    expect(taken.map(({ length }) => length)).toEqual([0, 20]);
    other.rest(true);
    resting.rest(false);
    await queue.enqueue(round(1), capacity);
    await until(async () => (await queue.pendingCount()) === 0);
    // A fetch that was in progress may have returned one.
    expect(taken[0]?.length).toBeGreaterThanOrEqual(19);
    for (const rested of [true, true, false, false]) other.rest(rested);
    resting.rest(true);
    await queue.enqueue(round(2), capacity);
    await until(async () => (await queue.pendingCount()) === 0);
    expect(taken[1]?.length).toBeGreaterThanOrEqual(39);
  });

  it('sees the last generation of a burst after a handful of runs', async () => {
    const queue = await testQueue();
    const started = gateway();
    const goOn = gateway();
    let newest = 1;
    const seen: number[] = [];
    const handler: Handler = async () => {
      const generation = newest;
      seen.push(generation);
      started.open();
      await goOn.opened;
      return done(generation);
    };
    queue.consume(type, handler, { concurrency: 4, lockMs: 60_000 });
    await queue.enqueue([operation(1, 1)], capacity);
    await started.opened;
    for (newest = 2; newest <= 1_000; newest += 1) await queue.enqueue([operation(1, newest)], capacity);
    newest = 1_000;
    goOn.open();
    await until(async () => (await queue.pendingCount()) === 0);
    expect(seen.at(-1)).toBe(1_000);
    expect(seen.length).toBeLessThanOrEqual(3);
  });

  it('runs a job again at once or after the delay that its handler requests', async () => {
    const queue = await testQueue();
    const outcomes: Outcome[] = [{ kind: 'again', afterMs: 0 }, { kind: 'again', afterMs: 30 }, done()];
    let runs = 0;
    queue.consume(type, async () => outcomes[runs++] ?? done(), options);
    await queue.enqueue([operation(1)], capacity);
    await until(async () => (await queue.pendingCount()) === 0);
    expect(runs).toBe(3);
  });

  it('brings forward jobs that wait for a retry, and only those that are requested', async () => {
    const queue = await testQueue();
    const redis = ending(stoppable(new Redis(queue.url)));
    const runs = new Map<string, number>();
    const handler: Handler = async ({ id }) => {
      runs.set(id, (runs.get(id) ?? 0) + 1);
      return runs.get(id) === 1 ? { kind: 'again', afterMs: 3_600_000 } : done(2);
    };
    queue.consume(type, handler, options);
    await queue.enqueue(operations(20), capacity);
    await until(() => runs.size === 20);
    await until(async () => (await redis.client.zcard(`${queue.prefix}:sync-${type}:delayed`)) === 20);
    const newer = operations(20).map((one) => ({ ...one, generation: 2, waiting: Number(one.id) <= 10 }));
    await queue.enqueue(newer, capacity);
    await until(async () => (await queue.pendingCount()) === 10);
    expect(await queue.missing(newer)).toEqual(newer.slice(0, 10).map(({ id }) => id));
    expect([...runs.values()].filter((count) => count === 1)).toHaveLength(10);
  });

  it('does not delay a change until the retry of the job that was running when it came', async () => {
    const queue = await testQueue();
    let runs = 0;
    const handler: Handler = async () => {
      runs += 1;
      if (runs === 2) return done(2);
      await queue.enqueue([operation(1, 2)], capacity);
      return { kind: 'again', afterMs: 3_600_000 };
    };
    queue.consume(type, handler, options);
    await queue.enqueue([operation(1)], capacity);
    await until(async () => (await queue.pendingCount()) === 0);
    expect(runs).toBe(2);
  });

  it('does not delay a change until the retry when it comes just before the job is delayed', async () => {
    const queue = await testQueue();
    const delayJob = Job.prototype.moveToDelayed;
    const spy = vi.spyOn(Job.prototype, 'moveToDelayed').mockImplementation(async function (this: Job, ...args) {
      await queue.enqueue([operation(1, 2, { waiting: true })], capacity);
      return delayJob.apply(this, args);
    });
    onTestFinished(() => spy.mockRestore());
    let runs = 0;
    const handler: Handler = async () => {
      runs += 1;
      return runs === 1 ? { kind: 'again', afterMs: 3_600_000 } : done(2);
    };
    queue.consume(type, handler, options);
    await queue.enqueue([operation(1)], capacity);
    await until(async () => (await queue.pendingCount()) === 0);
  });

  it('continues after a handler that throws, without logging the message', async () => {
    const log = keptLog();
    const queue = await testQueue({ log });
    let runs = 0;
    const handler: Handler = async () => {
      runs += 1;
      if (runs === 1) throw new SyntaxError('unexpected token in\n    at hunter2 (hunter2:1:2)');
      return done();
    };
    queue.consume(type, handler, options);
    await queue.enqueue([operation(1)], capacity);
    await until(async () => (await queue.pendingCount()) === 0);
    expect(runs).toBe(2);
    expect(JSON.stringify(log.lines)).toContain('SyntaxError');
    expect(JSON.stringify(log.lines)).not.toContain('hunter2');
  });

  it('keeps an operation whose newer generation was requested while it ran', async () => {
    const queue = await testQueue();
    const seen: number[] = [];
    const handler: Handler = async () => {
      seen.push(seen.length + 1);
      if (seen.length === 1) await queue.enqueue([operation(1, 2)], capacity);
      return done(seen.length);
    };
    queue.consume(type, handler, options);
    await queue.enqueue([operation(1)], capacity);
    await until(async () => (await queue.pendingCount()) === 0);
    expect(seen).toEqual([1, 2]);
  });

  it('adds the job of a newer generation whose process died before it could add it', async () => {
    const queue = await testQueue();
    const redis = ending(stoppable(new Redis(queue.url)));
    let runs = 0;
    const handler: Handler = async () => {
      runs += 1;
      // The first half of `enqueue`, before it adds the job.
      if (runs === 1) await redis.client.hset(`${queue.prefix}:pending`, '1', '2');
      return done(runs);
    };
    queue.consume(type, handler, options);
    await queue.enqueue([operation(1)], capacity);
    await until(async () => (await queue.pendingCount()) === 0);
    expect(runs).toBe(2);
  });

  it('copes with jobs whose operation has already been finished, also by another worker', async () => {
    const queue = await testQueue();
    let runs = 0;
    queue.consume(
      type,
      counted(() => ++runs, 5),
      options,
    );
    await queue.enqueue([operation(1, 5)], capacity);
    await until(async () => (await queue.pendingCount()) === 0);
    await queue.enqueue([operation(1, 3)], capacity);
    await until(async () => (await queue.pendingCount()) === 0);
    expect(runs).toBe(2);
  });

  it('renews the lock of a handler that takes longer than the lock', async () => {
    const queue = await testQueue();
    let runs = 0;
    const handler: Handler = async () => {
      runs += 1;
      await new Promise((resolve) => setTimeout(resolve, 7_000));
      return done();
    };
    queue.consume(type, handler, { concurrency: 4, lockMs: 6_000 });
    queue.consume(type, handler, { concurrency: 4, lockMs: 6_000 });
    await queue.enqueue([operation(1)], capacity);
    await until(async () => (await queue.pendingCount()) === 0);
    expect(runs).toBe(1);
  });

  it('stops a handler that does not end, and runs the job again', async () => {
    const queue = await testQueue();
    let runs = 0;
    const handler: Handler = async (_job, signal) => {
      runs += 1;
      if (runs > 1) return done();
      await aborted(signal);
      throw signal.reason;
    };
    queue.consume(type, handler, { concurrency: 4, lockMs: 1_500 });
    await queue.enqueue([operation(1)], capacity);
    await until(async () => (await queue.pendingCount()) === 0);
    expect(runs).toBe(2);
  });

  it('reports nothing about a job whose lock another worker has', async () => {
    const queue = await testQueue();
    const redis = ending(stoppable(new Redis(queue.url)));
    const started = gateway();
    const lost = gateway();
    const consumer = queue.consume(
      type,
      async (_job, signal) => {
        started.open();
        await aborted(signal);
        lost.open();
        return done();
      },
      options,
    );
    await queue.enqueue([operation(1)], capacity);
    await started.opened;
    await redis.client.set(`${queue.prefix}:sync-${type}:1:lock`, 'another worker');
    await lost.opened;
    await consumer.close(5_000);
    expect(await queue.pendingCount()).toBe(1);
    expect(await queue.missing([operation(1)])).toEqual([]);
  });

  it('waits for the jobs in flight when it is closed', async () => {
    const queue = await testQueue();
    const started = gateway();
    let aborted: boolean | undefined;
    const handler: Handler = async (_job, signal) => {
      started.open();
      await new Promise((resolve) => setTimeout(resolve, 100));
      aborted = signal.aborted;
      return done();
    };
    const consumer = queue.consume(type, handler, options);
    await queue.enqueue([operation(1)], capacity);
    await started.opened;
    await consumer.close(10_000);
    expect(aborted).toBe(false);
    expect(await queue.pendingCount()).toBe(0);
  });

  it('stops handlers after the grace period and returns their jobs to the queue', async () => {
    const queue = await testQueue();
    const started = gateway();
    const consumer = queue.consume(
      type,
      async (_job, signal) => {
        started.open();
        await aborted(signal);
        throw signal.reason;
      },
      { concurrency: 1, lockMs: 600_000 },
    );
    await queue.enqueue([operation(1)], capacity);
    await started.opened;
    await consumer.close(10);
    queue.consume(type, async () => done(), options);
    await until(async () => (await queue.pendingCount()) === 0);
  });

  it('delays a job that has crashed its worker repeatedly', async () => {
    const queue = await testQueue();
    const redis = ending(stoppable(new Redis(queue.url)));
    await queue.enqueue([operation(1)], capacity);
    await redis.client.hset(`${queue.prefix}:sync-${type}:1`, 'stc', '3');
    let runs = 0;
    queue.consume(
      type,
      counted(() => ++runs),
      options,
    );
    await until(async () => (await redis.client.zcard(`${queue.prefix}:sync-${type}:delayed`)) === 1);
    expect(runs).toBe(0);
    await until(async () => (await queue.pendingCount()) === 0);
    expect(runs).toBe(1);
  });
});

const stoppable = (client: Redis) => ({ client, stop: async () => client.disconnect() });

describe('pausing', () => {
  it('keeps jobs of all types waiting, and resuming lets them run', async () => {
    const queue = await testQueue();
    let runs = 0;
    queue.consume(
      type,
      counted(() => ++runs),
      options,
    );
    await queue.pause();
    await queue.pause();
    await queue.enqueue([operation(1), operation(2)], capacity);
    const drained = await queue.drain(type, async () => done(), drainOptions());
    expect(drained).toEqual({ done: 0, left: false });
    expect(runs).toBe(0);
    expect(await queue.pendingCount()).toBe(2);
    await queue.resume();
    await queue.resume();
    await until(async () => (await queue.pendingCount()) === 0);
    expect(runs).toBe(2);
  });

  it('is set again when Redis has lost it', async () => {
    const queue = await testQueue();
    const redis = ending(stoppable(new Redis(queue.url)));
    await queue.pause();
    await redis.client.hdel(`${queue.prefix}:sync-${type}:meta`, 'paused');
    await queue.pause();
    await queue.enqueue([operation(1)], capacity);
    expect(await queue.drain(type, async () => done(), drainOptions())).toEqual({ done: 0, left: false });
  });
});

const drainOptions = () => ({ ...options, deadline: farDeadline(), reserveMs: 100 });
