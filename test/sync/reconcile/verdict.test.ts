import { expect, test } from 'vitest';
import { decidingFailure, judge, statusAfter, statusOf, toStatus } from '#sync/model/status.ts';

const policy = { attemptsMax: 4, delayMsFirst: 100, delayMsMax: 1_000 };

test.each([
  ['credentials', 'CLIENT_SIDE_ERROR'],
  ['permission', 'CLIENT_SIDE_ERROR'],
  ['missing', 'CLIENT_SIDE_ERROR'],
  ['name', 'CLIENT_SIDE_ERROR'],
  ['too-large', 'CLIENT_SIDE_ERROR'],
  ['conflict', 'CLIENT_SIDE_ERROR'],
  ['quota', 'CLIENT_SIDE_ERROR'],
  ['invalid', 'CLIENT_SIDE_ERROR'],
  ['blocked', 'CLIENT_SIDE_ERROR'],
] as const)('a failure of kind %s stops at once as %s', (kind, status) => {
  expect(judge({ kind, retryAfterMs: undefined }, 1, policy, 0)).toEqual({ kind: 'stop', status });
});

test.each([
  ['throttled', 'EXTERNAL_SERVICE_ERROR'],
  ['unavailable', 'EXTERNAL_SERVICE_ERROR'],
  ['timeout', 'EXTERNAL_SERVICE_ERROR'],
  ['network', 'EXTERNAL_SERVICE_ERROR'],
  ['internal', 'INTERNAL_ERROR'],
] as const)('a failure of kind %s is retried and ends as %s after the last attempt', (kind, status) => {
  const failed = { kind, retryAfterMs: undefined };
  expect(judge(failed, 1, policy, 0).kind).toBe('retry');
  expect(judge(failed, 3, policy, 0).kind).toBe('retry');
  expect(judge(failed, 4, policy, 0)).toEqual({ kind: 'stop', status });
  expect(statusOf(kind)).toBe(status);
});

test.each([
  [1, 0, 50],
  [1, 0.999, 100],
  [2, 0, 100],
  [3, 0, 200],
])('attempt %i with the random number %f is followed by a delay of about %i ms', (attempt, random, delayMs) => {
  const verdict = judge({ kind: 'unavailable', retryAfterMs: undefined }, attempt, policy, random);
  expect(verdict).toEqual({ kind: 'retry', afterMs: delayMs });
});

test('the delay never exceeds its limit after any number of attempts', () => {
  const manyAttempts = { ...policy, attemptsMax: 100 };
  expect(judge({ kind: 'network', retryAfterMs: undefined }, 90, manyAttempts, 0.999)).toEqual({
    kind: 'retry',
    afterMs: 1_000,
  });
});

test('the Retry-After of the remote is the minimum delay, up to an hour', () => {
  expect(judge({ kind: 'throttled', retryAfterMs: 5_000 }, 1, policy, 0)).toEqual({ kind: 'retry', afterMs: 5_000 });
  expect(judge({ kind: 'throttled', retryAfterMs: 9e9 }, 1, policy, 0)).toEqual({ kind: 'retry', afterMs: 3_600_000 });
});

test('of several failures a temporary one decides, so that the association is retried', () => {
  const conflict = { kind: 'conflict', retryAfterMs: undefined } as const;
  const throttled = { kind: 'throttled', retryAfterMs: 10 } as const;
  const network = { kind: 'network', retryAfterMs: undefined } as const;
  expect(decidingFailure([conflict, network, throttled])).toBe(throttled);
  expect(decidingFailure([conflict])).toBe(conflict);
  expect(decidingFailure([])).toBeUndefined();
});

test.each([
  [{ outcome: 'clean', objects: 2 }, 'SYNCED'],
  [{ outcome: 'clean', objects: 0 }, 'UNSYNCED'],
  [{ outcome: 'unfinished', objects: 1 }, 'PENDING'],
  [{ outcome: 'retry', objects: 0 }, 'PENDING'],
  [{ outcome: 'CLIENT_SIDE_ERROR', objects: 1 }, 'CLIENT_SIDE_ERROR'],
  [{ outcome: 'INTERNAL_ERROR', objects: 0 }, 'INTERNAL_ERROR'],
] as const)('after %o the status is %s', (attempt, status) => {
  expect(statusAfter(attempt)).toBe(status);
});

test('a stored status that this version does not know reads UNKNOWN', () => {
  expect(toStatus('SYNCED')).toBe('SYNCED');
  expect(toStatus('FROM_THE_FUTURE')).toBe('UNKNOWN');
});
