import { describe, expect, it } from 'vitest';
import { announce, testQueue } from '../queues.ts';

const never = new AbortController().signal;

describe('announcements', () => {
  it('wake callers that wait for the association, in any process', async () => {
    const queue = await testQueue();
    const other = await testQueue({ prefix: queue.prefix });
    const listeners = [queue.listen('1'), queue.listen('1'), queue.listen('2')];
    await Promise.all(listeners.map(({ ready }) => ready));
    await announce(other, '1');
    const [first, second] = listeners;
    expect(await first?.wait(20_000, never)).toBe(true);
    expect(await second?.wait(20_000, never)).toBe(true);
    expect(await listeners[2]?.wait(50, never)).toBe(false);
    for (const listener of listeners) listener.stop();
  });

  it('are received even if they were made between listening and waiting', async () => {
    const queue = await testQueue();
    const listener = queue.listen('1');
    await listener.ready;
    await announce(queue, '1');
    const listening = queue.listen('1');
    await listening.ready;
    expect(await listener.wait(20_000, never)).toBe(true);
    listening.stop();
    listener.stop();
    listener.stop();
  });

  it('end a wait that is aborted', async () => {
    const queue = await testQueue();
    const abort = new AbortController();
    const settled = queue.settled('1', 600_000, abort.signal);
    abort.abort();
    expect(await settled).toBe(false);
    expect(await queue.settled('1', 600_000, abort.signal)).toBe(false);
  });

  it('reach a listener that started after others had stopped', async () => {
    const queue = await testQueue();
    for (let round = 0; round < 5; round += 1) {
      const listener = queue.listen('1');
      await listener.ready;
      await announce(queue, '1');
      expect(await listener.wait(20_000, never)).toBe(true);
      listener.stop();
    }
  });

  it('are waited for by a bounded number of requests', async () => {
    const queue = await testQueue();
    const listeners = Array.from({ length: 10_001 }, (_, index) => queue.listen(String(index)));
    expect(await listeners.at(-1)?.wait(600_000, never)).toBe(false);
    for (const listener of listeners) listener.stop();
    const listener = queue.listen('1');
    await listener.ready;
    await announce(queue, '1');
    expect(await listener.wait(20_000, never)).toBe(true);
    listener.stop();
  });
});
