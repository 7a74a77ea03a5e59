import { expect, test } from 'vitest';
import { asideMsMax, PausedDestinations, slotMs, trustMs } from '#sync/reconcile/paused-destinations.ts';

function open() {
  let now = 1_000_000;
  const paused = new PausedDestinations(() => now);
  return { paused, pass: (ms: number) => (now += ms) };
}

test('a paused destination is known for a moment, then the store is asked again', () => {
  const { paused, pass } = open();
  expect(paused.asideMs('1')).toBeUndefined();
  paused.found('1', null);
  expect(paused.asideMs('1')).toBeGreaterThan(0);
  expect(paused.asideMs('2')).toBeUndefined();
  pass(trustMs);
  expect(paused.asideMs('1')).toBeUndefined();
});

test('jobs come back in groups, all within the longest delay', () => {
  const { paused } = open();
  const delays = Array.from({ length: 50_000 }, () => paused.found('1', null));
  const groups = [...Map.groupBy(delays, (delay) => delay).values()].map(({ length }) => length);
  expect(Math.max(...delays)).toBeLessThanOrEqual(asideMsMax);
  expect(Math.min(...delays)).toBeGreaterThan(0);
  expect(groups.length).toBe(asideMsMax / slotMs);
  expect(Math.max(...groups)).toBeLessThanOrEqual(1_000);
});

test('no job waits for longer than the pause', () => {
  const { paused } = open();
  const delays = Array.from({ length: 5_000 }, () => paused.found('1', 12_000));
  expect(Math.max(...delays)).toBeLessThanOrEqual(12_000);
});
