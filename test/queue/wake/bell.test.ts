import { describe, expect, it } from 'vitest';
import { silentLog } from '#core/log/log.ts';
import { type BellTimes, openBell } from '#queue/wake/bell.ts';
import { patience } from '../../support/measures/patience.ts';
import { ending, testRedis } from '../../support/services.ts';
import {
  farDeadline,
  keptLog,
  lockMs,
  operation,
  operations,
  patientLimits,
  testQueue,
  type,
  until,
} from '../queues.ts';

const capacity = 100_000;
const minuteMs = 60_000;

/** A queue whose bell records its rings, and a way to take the jobs. No flag expires unless a test wants it to. */
async function belled(times: Partial<BellTimes> = {}) {
  const { url, prefix } = testRedis();
  const sent: { readonly type: string; readonly afterMs: number | undefined }[] = [];
  const failing = { now: false };
  const sender = {
    async ring(rung: string, afterMs?: number) {
      if (failing.now) throw new Error('the queue service is away');
      sent.push({ type: rung, afterMs });
    },
  };
  const long = { wayMs: patience.testMs, holdMs: patience.testMs };
  const bell = openBell({
    redisUrl: url,
    prefix,
    sender,
    log: silentLog,
    limits: patientLimits,
    times: { ...long, ...times },
  });
  ending({ close: async () => bell.close() });
  const queue = await testQueue({ redisUrl: url, prefix, doorbell: bell });
  const drain = (afterMs?: number) =>
    queue.drain(
      type,
      async () => (afterMs === undefined ? { kind: 'done', generation: 1 } : { kind: 'again', afterMs }),
      {
        concurrency: 8,
        lockMs,
        deadline: farDeadline(),
        reserveMs: 100,
      },
    );
  return { bell, queue, sent, failing, drain };
}

describe('a bell', () => {
  it('rings once for a thousand presses until a worker is awake', async () => {
    const { queue, sent } = await belled();
    await Promise.all(operations(1_000).map((one) => queue.enqueue([one], capacity)));
    expect(sent).toEqual([{ type, afterMs: undefined }]);
  });

  it('rings again for a press while its worker was busy', async () => {
    const { bell, queue, sent, drain } = await belled();
    await queue.enqueue([operation(1)], capacity);
    await bell.awake(type);
    expect(await drain()).toMatchObject({ done: 1 });
    // The worker has made its last check but has not lowered the flag yet.
    await queue.enqueue([operation(2)], capacity);
    expect(sent).toHaveLength(1);
    await bell.rearm(type, 0);
    expect(sent).toHaveLength(2);
  });

  it('is silent after a drain that left nothing, and rings at the next press', async () => {
    const { bell, queue, sent, drain } = await belled();
    await queue.enqueue([operation(1)], capacity);
    await bell.awake(type);
    await drain();
    await bell.rearm(type, 0);
    expect(sent).toHaveLength(1);
    await queue.enqueue([operation(2)], capacity);
    expect(sent).toHaveLength(2);
  });

  it('rings again when a worker that is awake does not keep up', async () => {
    const { bell, queue, sent } = await belled({ holdMs: 100 });
    await queue.enqueue([operation(1)], capacity);
    await bell.awake(type);
    let pressed = 1;
    await until(async () => {
      pressed += 1;
      await queue.enqueue([operation(pressed)], capacity);
      return sent.length === 2;
    });
  });

  it('rings once for jobs that were delayed, when the first is due', async () => {
    const { bell, queue, sent, drain } = await belled();
    await queue.enqueue([operation(1)], capacity);
    await drain(minuteMs);
    for (let times = 0; times < 2; times += 1) await bell.rearm(type, 0);
    const later = sent.slice(1);
    expect(later).toHaveLength(1);
    expect(later[0]?.afterMs).toBeGreaterThan(minuteMs / 2);
    expect(later[0]?.afterMs).toBeLessThanOrEqual(minuteMs);
  });

  it('leaves jobs to the sweep that are due later than a message can be delayed', async () => {
    const { bell, queue, sent, drain } = await belled();
    await queue.enqueue([operation(1)], capacity);
    await drain(20 * minuteMs);
    await bell.rearm(type, 0);
    expect(sent).toHaveLength(1);
  });

  it('rings after a pause when a drain got nothing done', async () => {
    const { bell, queue, sent } = await belled();
    await queue.enqueue([operation(1)], capacity);
    await bell.rearm(type, 5_000);
    await bell.rearm(type, 5_000);
    expect(sent[1]).toEqual({ type, afterMs: 5_000 });
  });

  it('does not ring for a queue that is paused, and does when it is resumed', async () => {
    const { bell, queue, sent } = await belled();
    await queue.enqueue([operation(1)], capacity);
    await queue.pause();
    await bell.rearm(type, 0);
    expect(sent).toHaveLength(1);
    await queue.resume();
    expect(sent).toHaveLength(2);
  });

  it('that is broken fails no request, and the next request presses it again', async () => {
    const { bell, queue, sent, failing } = await belled();
    failing.now = true;
    expect(await queue.enqueue([operation(1)], capacity)).toEqual({ refused: [] });
    await expect(bell.rearm(type, 0)).rejects.toThrow('away');
    failing.now = false;
    await queue.enqueue([operation(2)], capacity);
    expect(sent).toHaveLength(1);
  });

  it('rings too often rather than not at all when Redis is down', async () => {
    const sent: string[] = [];
    const sender = { ring: async (rung: string) => void sent.push(rung) };
    const log = keptLog();
    const bell = openBell({ redisUrl: 'redis://127.0.0.1:1', sender, log });
    ending({ close: async () => bell.close() });
    await bell.ring(type);
    await bell.ring(type);
    expect(sent).toEqual([type, type]);
  });
});
