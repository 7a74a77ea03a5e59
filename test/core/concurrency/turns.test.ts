import { afterEach, expect, test, vi } from 'vitest';
import { Turns } from '#core/concurrency/turns.ts';

afterEach(() => void vi.useRealTimers());

const everyMs = 25_000;

/** Turns of so many, and how often each had one. */
function entered(turns: Turns, count: number) {
  const seen = Array.from({ length: count }, () => 0);
  const leaves = seen.map((_none, at) =>
    turns.enter(() => {
      seen[at] = (seen[at] ?? 0) + 1;
    }),
  );
  return { seen, leaves };
}

test('each has one turn in an interval, the first in its second half, and few have theirs together', () => {
  vi.useFakeTimers();
  const { seen } = entered(new Turns(everyMs), 1_000);
  vi.advanceTimersByTime(everyMs / 2 - 1);
  expect(Math.max(...seen)).toBe(0);
  let had = 0;
  for (let ms = everyMs / 2; ms <= everyMs; ms += 500) {
    vi.advanceTimersByTime(500);
    const all = seen.reduce((sum, one) => sum + one, 0);
    expect(all - had).toBeLessThanOrEqual(40);
    had = all;
  }
  expect(new Set(seen)).toEqual(new Set([1]));
  vi.advanceTimersByTime(everyMs);
  expect(new Set(seen)).toEqual(new Set([2]));
});

test('a member that has left has no further turn, and the timer ends with the last', () => {
  vi.useFakeTimers();
  const turns = new Turns(40);
  const { seen, leaves } = entered(turns, 2);
  vi.advanceTimersByTime(40);
  leaves[0]?.();
  leaves[0]?.();
  vi.advanceTimersByTime(40);
  expect(seen).toEqual([1, 2]);
  leaves[1]?.();
  expect(vi.getTimerCount()).toBe(0);
  const { seen: again } = entered(turns, 1);
  vi.advanceTimersByTime(40);
  expect([...seen, ...again]).toEqual([1, 2, 1]);
});

test('who leaves in the turn of another has none', () => {
  vi.useFakeTimers();
  const turns = new Turns(40);
  const seen: string[] = [];
  const leaves: (() => void)[] = [];
  for (const name of ['one', 'other'])
    leaves.push(
      turns.enter(() => {
        seen.push(name);
        for (const leave of leaves) leave();
      }),
    );
  vi.advanceTimersByTime(400);
  expect(seen).toEqual(['one']);
});
