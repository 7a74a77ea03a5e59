import { describe, expect, it } from 'vitest';
import { farDeadline, lockMs, operation, operations, otherType, testQueue, type } from '../queues.ts';

const capacity = 1_000;

describe('the pending set', () => {
  it('counts an operation once, however often it is requested', async () => {
    const queue = await testQueue();
    await queue.enqueue([operation(1), operation(1, 2), operation(2, 1, { type: otherType })], capacity);
    await queue.enqueue([operation(1, 3)], capacity);
    expect(await queue.pendingCount()).toBe(2);
  });

  it('refuses operations beyond the capacity of all types together, and adds no jobs for them', async () => {
    const queue = await testQueue();
    const { refused } = await queue.enqueue([operation(1), operation(2, 1, { type: otherType }), operation(3)], 2);
    expect(refused).toEqual(['3']);
    expect(await queue.pendingCount()).toBe(2);
    expect(await queue.missing([operation(1), operation(2, 1, { type: otherType }), operation(3)])).toEqual(['3']);
  });

  it('needs no capacity for an operation that is already pending', async () => {
    const queue = await testQueue();
    await queue.enqueue([operation(1)], 1);
    expect(await queue.enqueue([operation(1, 2), operation(2)], 1)).toEqual({ refused: ['2'] });
    expect(await queue.reserve(operation(1, 3), 1)).toBe(true);
    expect(await queue.reserve(operation(2), 1)).toBe(false);
  });

  it('takes many thousand operations in chunks', async () => {
    const queue = await testQueue();
    const { refused } = await queue.enqueue(operations(2_500), 2_200);
    expect(refused).toHaveLength(300);
    expect(await queue.pendingCount()).toBe(2_200);
    expect(await queue.missing(operations(1_000))).toEqual([]);
  });

  it('accepts nothing when the capacity is zero', async () => {
    const queue = await testQueue();
    expect(await queue.enqueue([operation(1)], 0)).toEqual({ refused: ['1'] });
  });

  it('refuses a type that it was not opened with', async () => {
    const queue = await testQueue();
    await expect(queue.enqueue([operation(1, 1, { type: 'none' })], capacity)).rejects.toThrow(
      'no queue for the type none',
    );
  });
});

describe('a reservation', () => {
  it('takes capacity and counts as missing until it is requested', async () => {
    const queue = await testQueue();
    expect(await queue.reserve(operation(1), 1)).toBe(true);
    expect(await queue.pendingCount()).toBe(1);
    expect(await queue.missing([operation(1)])).toEqual(['1']);
    expect(await queue.enqueue([operation(1)], 1)).toEqual({ refused: [] });
    expect(await queue.missing([operation(1)])).toEqual([]);
    expect(await queue.pendingCount()).toBe(1);
  });

  it('can be released, even twice', async () => {
    const queue = await testQueue();
    await queue.reserve(operation(1), 1);
    await queue.release('1', 1);
    await queue.release('1', 1);
    expect(await queue.pendingCount()).toBe(0);
  });

  it('of a newer generation survives the release of an older one', async () => {
    const queue = await testQueue();
    await queue.reserve(operation(1, 1), 1);
    await queue.reserve(operation(1, 2), 1);
    await queue.release('1', 1);
    expect(await queue.pendingCount()).toBe(1);
  });

  it('does not remove an operation that was requested before', async () => {
    const queue = await testQueue();
    await queue.enqueue([operation(1, 1)], 1);
    await queue.reserve(operation(1, 2), 1);
    await queue.release('1', 2);
    expect(await queue.pendingCount()).toBe(1);
    expect(await queue.missing([operation(1)])).toEqual([]);
  });

  it('keeps its capacity when the worker finishes an older generation meanwhile', async () => {
    const queue = await testQueue();
    await queue.enqueue([operation(1, 1)], 1);
    await queue.reserve(operation(1, 2), 1);
    const options = { concurrency: 1, lockMs, deadline: farDeadline(), reserveMs: 100 };
    await queue.drain(type, async () => ({ kind: 'done', generation: 1 }), options);
    expect(await queue.pendingCount()).toBe(1);
    expect(await queue.enqueue([operation(2)], 1)).toEqual({ refused: ['2'] });
    expect(await queue.enqueue([operation(1, 2)], 1)).toEqual({ refused: [] });
  });
});

describe('forget', () => {
  const clean = async () => new Set<string>();
  const heldClock = () => {
    let now = Date.now();
    return {
      now: () => new Date(now),
      pass: (ms: number) => {
        now += ms;
      },
    };
  };

  it('removes an obsolete entry at the second check, 10 s later', async () => {
    const clock = heldClock();
    const queue = await testQueue({ clock });
    await queue.reserve(operation(1), capacity);
    expect(await queue.forget('0', clean)).toBe('0');
    clock.pass(9_999);
    await queue.forget('0', clean);
    expect(await queue.pendingCount()).toBe(1);
    clock.pass(1);
    await queue.forget('0', clean);
    expect(await queue.pendingCount()).toBe(0);
  });

  it('keeps dirty entries', async () => {
    const clock = heldClock();
    const queue = await testQueue({ clock });
    await queue.enqueue([operation(1), operation(2)], capacity);
    for (let look = 0; look < 3; look += 1) {
      await queue.forget('0', async (ids) => new Set(ids.filter((id) => id === '2')));
      clock.pass(20_000);
    }
    expect(await queue.pendingCount()).toBe(1);
    expect(await queue.missing([operation(1), operation(2)])).toEqual(['1']);
  });

  it('starts again with an entry that changed or was dirty between two checks', async () => {
    const clock = heldClock();
    const queue = await testQueue({ clock });
    await queue.enqueue([operation(1), operation(2)], capacity);
    await queue.forget('0', clean);
    clock.pass(15_000);
    await queue.enqueue([operation(1, 2)], capacity);
    await queue.forget('0', async () => new Set(['2']));
    clock.pass(5_000);
    await queue.forget('0', clean);
    expect(await queue.pendingCount()).toBe(2);
  });

  it('processes a large set in slices', async () => {
    const queue = await testQueue();
    await queue.enqueue(operations(2_000), 5_000);
    const seen = new Set<string>();
    let cursor = '0';
    let slices = 0;
    do {
      cursor = await queue.forget(cursor, async (ids) => {
        for (const id of ids) seen.add(id);
        return new Set(ids);
      });
      slices += 1;
    } while (cursor !== '0' && slices < 1_000);
    expect(seen.size).toBe(2_000);
    expect(slices).toBeGreaterThan(1);
  });

  it('passes on the error of the store', async () => {
    const queue = await testQueue();
    await queue.reserve(operation(1), capacity);
    const broken = () => Promise.reject(new Error('the store is away'));
    await expect(queue.forget('0', broken)).rejects.toThrow('the store is away');
  });
});
