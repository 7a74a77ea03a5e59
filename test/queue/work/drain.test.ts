import { describe, expect, it } from 'vitest';
import type { Handler, Outcome } from '#queue/contract.ts';
import { aborted } from '../../support/measures/aborted.ts';
import { farDeadline, gateway, lockMs, operation, operations, otherType, testQueue, type, until } from '../queues.ts';

const capacity = 10_000;
const done: Outcome = { kind: 'done', generation: 1 };
const inMs = (ms: number) => new Date(Date.now() + ms);
const ample = () => ({ concurrency: 8, lockMs, deadline: farDeadline(), reserveMs: 100 });

describe('drain', () => {
  it('empties a queue, several jobs at a time', async () => {
    const queue = await testQueue();
    await queue.enqueue(operations(60), capacity);
    let running = 0;
    let runningMost = 0;
    const eight = gateway();
    const handler: Handler = async () => {
      runningMost = Math.max(runningMost, ++running);
      if (running === 8) eight.open();
      await eight.opened;
      running -= 1;
      return done;
    };
    expect(await queue.drain(type, handler, ample())).toEqual({ done: 60, left: false });
    expect(runningMost).toBe(8);
    expect(await queue.pendingCount()).toBe(0);
  });

  it('ends at once when there is nothing to do', async () => {
    const queue = await testQueue();
    expect(await queue.drain(type, async () => done, ample())).toEqual({ done: 0, left: false });
  });

  it('takes no job when too little time is left for it, and reports that work is left', async () => {
    let now = Date.now();
    const queue = await testQueue({ clock: { now: () => new Date(now) } });
    await queue.enqueue(operations(3), capacity);
    const late = { concurrency: 1, lockMs: 5_000, deadline: new Date(now + 1_000), reserveMs: 1_001 };
    expect(await queue.drain(type, async () => done, late)).toEqual({ done: 0, left: true });
    const slow: Handler = async () => {
      now += 6_000;
      return done;
    };
    const notice = { ...late, deadline: new Date(now + 10_000), reserveMs: 5_000 };
    expect(await queue.drain(type, slow, notice)).toEqual({ done: 1, left: true });
    expect(await queue.drain(type, async () => done, ample())).toEqual({ done: 2, left: false });
  });

  it('stops handlers before the deadline and returns their jobs to the queue', async () => {
    const queue = await testQueue();
    await queue.enqueue([operation(1)], capacity);
    const untilStopped: Handler = async (_job, signal) => {
      await aborted(signal);
      throw signal.reason;
    };
    const deadline = inMs(4_000);
    const outcome = await queue.drain(type, untilStopped, { concurrency: 1, lockMs: 60_000, deadline, reserveMs: 600 });
    expect(outcome).toEqual({ done: 0, left: true });
    expect(await queue.drain(type, async () => done, ample())).toEqual({ done: 1, left: false });
  });

  it('waits for a job that is due soon and leaves one that is due later', async () => {
    const queue = await testQueue();
    let runs = 0;
    const handler: Handler = async ({ id }) => {
      runs += 1;
      if (id === '1' && runs < 3) return { kind: 'again', afterMs: 50 };
      return id === '1' ? done : { kind: 'again', afterMs: 3_600_000 };
    };
    await queue.enqueue([operation(1)], capacity);
    expect(await queue.drain(type, handler, ample())).toEqual({ done: 1, left: false });
    await queue.enqueue([operation(2)], capacity);
    expect(await queue.drain(type, handler, ample())).toEqual({ done: 0, left: false });
    expect(await queue.missing([operation(2)])).toEqual([]);
  });

  it('keeps a newer generation that came while its handler ran', async () => {
    const queue = await testQueue();
    let runs = 0;
    const handler: Handler = async () => {
      runs += 1;
      if (runs === 1) await queue.enqueue([operation(1, 2)], capacity);
      return { kind: 'done', generation: runs };
    };
    await queue.enqueue([operation(1)], capacity);
    expect(await queue.drain(type, handler, ample())).toEqual({ done: 2, left: false });
    expect(await queue.pendingCount()).toBe(0);
  });

  it('leaves the queues of other types alone', async () => {
    const queue = await testQueue();
    await queue.enqueue([operation(1), operation(2, 1, { type: otherType })], capacity);
    expect(await queue.drain(type, async () => done, ample())).toEqual({ done: 1, left: false });
    expect(await queue.pendingCount()).toBe(1);
  });

  it('shares the work with a consumer and another drain, and no job runs twice', async () => {
    const queue = await testQueue();
    const inFlight = new Set<string>();
    const twice: string[] = [];
    const handler: Handler = async ({ id }) => {
      if (inFlight.has(id)) twice.push(id);
      inFlight.add(id);
      await new Promise((resolve) => setTimeout(resolve, 1));
      inFlight.delete(id);
      return done;
    };
    await queue.enqueue(operations(400), capacity);
    queue.consume(type, handler, { concurrency: 8, lockMs });
    await Promise.all([queue.drain(type, handler, ample()), queue.drain(type, handler, ample())]);
    await until(async () => (await queue.pendingCount()) === 0);
    expect(twice).toEqual([]);
  });
});

describe('the doorbell', () => {
  async function belledQueue() {
    const rung: string[] = [];
    const doorbell = {
      ring: async (which: string) => {
        rung.push(which);
      },
    };
    return { queue: await testQueue({ doorbell }), rung };
  }

  it('rings once per type and call, and not for refused operations', async () => {
    const { queue, rung } = await belledQueue();
    await queue.enqueue([...operations(1_500), operation(2_000, 1, { type: otherType })], 1_501);
    expect(rung.toSorted()).toEqual([type, otherType].toSorted());
    await queue.enqueue([operation(3_000)], 1);
    expect(rung).toHaveLength(2);
  });

  it('is rung again for waiting jobs, but not for delayed or paused ones', async () => {
    const { queue, rung } = await belledQueue();
    await queue.enqueue([operation(1)], capacity);
    await queue.pause();
    rung.length = 0;
    await queue.wake();
    expect(rung).toEqual([]);
    await queue.resume();
    expect(rung).toEqual([type]);
    await queue.drain(type, async () => ({ kind: 'again', afterMs: 60_000 }), ample());
    await queue.wake();
    expect(rung).toEqual([type]);
  });

  it('may be broken', async () => {
    const queue = await testQueue({ doorbell: { ring: () => Promise.reject(new Error('no bell')) } });
    expect(await queue.enqueue([operation(1)], capacity)).toEqual({ refused: [] });
  });
});
