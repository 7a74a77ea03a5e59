import { describe, expect, it } from 'vitest';
import type { Answer } from '#destinations/repo-host/exchange.ts';
import { refusal, throttledForMs } from '#destinations/repo-host/failure.ts';
import { canBeOurs } from '#destinations/repo-host/put/put.ts';

const receivedAt = new Date('2026-01-01T00:00:00Z');
const date = 'Thu, 01 Jan 2026 01:00:00 GMT';
const seconds = Date.parse(date) / 1000;

const asked = { where: 'repository acme/app', rights: 'the permission "Secrets"' };

const answer = (status: number, message: string, headers: Answer['headers'] = {}): Answer => ({
  status,
  headers: { date, ...headers },
  data: { message },
  receivedAt,
});

describe('an answer', () => {
  it.each([
    [401, 'Bad credentials', 'credentials'],
    [403, 'Resource not accessible by integration', 'permission'],
    [404, 'Not Found', 'missing'],
    [409, 'Conflict', 'unavailable'],
    [410, 'Gone', 'invalid'],
    [413, 'Payload too large', 'too-large'],
    [422, 'Secret names must not start with GITHUB_.', 'name'],
    [422, 'Value is too large.', 'too-large'],
    [422, 'You have reached the maximum number of secrets (100).', 'quota'],
    [422, 'Validation failed', 'invalid'],
    [429, 'Too many requests', 'throttled'],
    [500, 'Server Error', 'unavailable'],
    [502, 'Bad gateway', 'unavailable'],
  ])('%d "%s" is of kind %s, and keeps the text of the host separately', (status, message, kind) => {
    const failure = refusal(answer(status, message), asked);
    expect(failure.kind).toBe(kind);
    expect(failure.message).toContain(`the host answered ${status} for repository acme/app; `);
    expect(failure.message).not.toContain(message);
    expect(failure.said?.reveal()).toBe(message);
  });

  it('that refuses for a missing permission names the permission', () => {
    expect(refusal(answer(403, 'Resource not accessible'), asked).message).toContain(
      'the credentials need the permission "Secrets"',
    );
  });

  it('that is a page of a proxy is not repeated', () => {
    const page = { ...answer(502, ''), data: '<html>marker</html>' };
    expect(refusal(page, asked)).toMatchObject({ message: expect.not.stringContaining('marker'), said: undefined });
  });
});

describe('a wait', () => {
  const none = undefined;
  it.each([
    ['a missing right', answer(403, 'Resource not accessible', { 'x-ratelimit-remaining': '4999' }), none],
    ['Retry-After in seconds', answer(403, 'secondary', { 'retry-after': '30' }), 30_000],
    ['Retry-After as a date', answer(429, '', { 'retry-after': 'Thu, 01 Jan 2026 01:00:30 GMT' }), 30_000],
    [
      'a used-up budget, by the clock of the host',
      answer(403, 'API rate limit exceeded', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${seconds + 90}` }),
      90_000,
    ],
    ['the text of a secondary limit alone', answer(403, 'You have exceeded a secondary rate limit.'), 60_000],
    ['429 alone', answer(429, ''), 60_000],
    [
      'a reset that is over',
      answer(429, '', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${seconds - 5}` }),
      0,
    ],
    ['an absurd wait', answer(429, '', { 'retry-after': '99999999' }), 24 * 3600 * 1000],
    ['503 with Retry-After', answer(503, '', { 'retry-after': '5' }), 5_000],
    ['503 alone', answer(503, 'rate limit'), none],
    ['404 with Retry-After', answer(404, '', { 'retry-after': '5' }), none],
  ])('is read from %s', (_what, given, waitMs) => {
    expect(throttledForMs(given)).toBe(waitMs);
  });
});

describe('ownership', () => {
  const intendedAt = new Date('2026-01-01T12:00:00.900Z');
  const record = (createdAt: string, clockAheadMs = 0) => ({
    createdAt: new Date(createdAt),
    updatedAt: '',
    clockAheadMs,
  });

  it.each([
    ['made a day before', record('2025-12-31T12:00:00Z'), false],
    ['made a minute before', record('2026-01-01T11:59:00Z'), false],
    ['made six seconds before', record('2026-01-01T11:59:54Z'), false],
    ['made in the same second, cut down by the host', record('2026-01-01T12:00:00Z'), true],
    ['made afterwards', record('2026-01-01T12:05:00Z'), true],
    ['made afterwards by a clock that is an hour behind', record('2026-01-01T11:00:05Z', -3_600_000), true],
    ['made before by a clock that is an hour ahead', record('2026-01-01T12:30:00Z', 3_600_000), false],
  ])('of a secret %s is decided by the time on the clock of the host', (_what, given, ours) => {
    expect(canBeOurs(given, intendedAt)).toBe(ours);
  });
});
