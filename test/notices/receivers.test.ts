import { expect, test } from 'vitest';
import { tells } from '#notices/receivers/notification.ts';
import { attemptsMax, pauseMs, retryDelayMs, waitingMsMax } from '#notices/send/retry.ts';
import { leastProcessorMs } from '#test/support/measures/processor-time.ts';

const destination = { type: 'cloud-a-sm', name: 'prod-eu-1' };

test.each<[string, boolean]>([
  ['*/*', true],
  ['cloud-a-sm/*', true],
  ['cloud-b-kv/*', false],
  ['*/prod-eu-1', true],
  ['*/prod-eu', false],
  ['*/prod-*', true],
  ['*/*-1', true],
  ['*/prod-*-1', true],
  ['*/p*eu*1', true],
  ['*/p*us*1', false],
  ['*/prod-eu-1*', true],
  ['*/prod-eu-1*prod-eu-1', false],
  ['*/*eu*eu*', false],
])('the pattern %s: %s', (pattern, expected) => {
  expect(tells({ kinds: [], destinations: [pattern] }, { kind: 'x', destination })).toBe(expected);
});

test('a filter on kinds and one on destinations both have to match, and the latter leaves out what concerns none', () => {
  const filter = { kinds: ['queue.filling', 'destination.failing'], destinations: [] };
  expect(tells(filter, { kind: 'destination.failing', destination })).toBe(true);
  expect(tells(filter, { kind: 'destination.recovered', destination })).toBe(false);
  expect(tells(filter, { kind: 'queue.filling' })).toBe(true);
  expect(tells({ ...filter, destinations: ['*/*'] }, { kind: 'queue.filling' })).toBe(false);
  expect(tells({ kinds: [], destinations: [] }, { kind: 'anything' })).toBe(true);
});

test('a pattern of many stars is decided at once', () => {
  const long = { kind: 'x', destination: { type: 'a', name: 'a'.repeat(500) } };
  const filter = { kinds: [], destinations: [`*/${'*a'.repeat(140)}b`] };
  expect(tells(filter, long)).toBe(false);
  expect(leastProcessorMs(() => tells(filter, long))).toBeLessThan(1_000);
});

test('the delays double up to three hours, and a message is dead after about a day', () => {
  const delays = Array.from({ length: attemptsMax - 1 }, (_none, n) => retryDelayMs(n + 1, 0, 0.5) ?? Number.NaN);
  expect(delays.slice(0, 3)).toEqual([30_000, 60_000, 120_000]);
  expect(Math.max(...delays)).toBe(10_800_000);
  const hours = delays.reduce((sum, one) => sum + one, 0) / 3_600_000;
  expect(hours).toBeGreaterThan(23);
  expect(hours).toBeLessThan(27);
  expect(retryDelayMs(attemptsMax, 0, 0.5)).toBeUndefined();
  expect(retryDelayMs(1, waitingMsMax, 0.5)).toBeUndefined();
});

test('a delay differs by a fifth at random, and a receiver rests longer with each failure, up to a minute', () => {
  expect([0, 0.5, 1].map((random) => retryDelayMs(1, 0, random))).toEqual([24_000, 30_000, 36_000]);
  expect([1, 2, 3, 100].map(pauseMs)).toEqual([1_000, 2_000, 4_000, 60_000]);
});
