import { expect, test } from 'vitest';
import { remoteNow, retryAfterMs } from '#destinations/frame/answer/headers.ts';

const receivedAt = new Date('2026-01-01T00:00:00Z');
const waitMs = (headers: Readonly<Record<string, string | number | null>>) =>
  retryAfterMs((name) => headers[name], receivedAt);

test.each([
  ['2', 2_000],
  [7, 7_000],
  ['0', 0],
  ['1.5', 1_500],
  ['Thu, 01 Jan 2026 00:01:30 GMT', 90_000],
  ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
  ['999999999999', 24 * 60 * 60 * 1000],
  ['soon', undefined],
  ['-5', undefined],
  ['', undefined],
  [null, undefined],
])('Retry-After %s asks for %s ms', (value, expected) => {
  expect(waitMs({ 'retry-after': value })).toBe(expected);
});

test('an answer without the header asks for nothing', () => {
  expect(waitMs({})).toBeUndefined();
});

test('a date is compared with the clock of the answer', () => {
  const headers = { date: 'Wed, 01 Jan 2020 00:00:00 GMT', 'retry-after': 'Wed, 01 Jan 2020 00:01:30 GMT' };
  expect(waitMs(headers)).toBe(90_000);
  expect(remoteNow((name) => (name === 'date' ? headers.date : undefined), receivedAt).getTime()).toBe(
    Date.UTC(2020, 0),
  );
});
