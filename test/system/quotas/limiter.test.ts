import { expect, test } from 'vitest';
import { rootNamespace } from '#core/namespace.ts';
import { createLimiter } from '#quotas/limiter.ts';
import { bySpecificity, isFor, type RateLimit } from '#quotas/quota.ts';

const quota = (changes: Partial<RateLimit> = {}): RateLimit => ({
  path: '',
  role: '',
  inheritable: true,
  rate: 2,
  interval: 10,
  block_interval: 0,
  ...changes,
});

/** Whether each of the requests at these times, in seconds, is allowed. */
const passed = (limit: RateLimit, seconds: readonly number[], limiter = createLimiter()) =>
  seconds.map((at) => limiter.pass(limit, 'client', at * 1_000).allowed);

test.each([
  [quota(), [0, 1, 2, 9.9, 10, 11, 12], [true, true, false, false, true, true, false]],
  [quota({ rate: 0.5, interval: 1 }), [0, 1, 1.9, 2, 3], [true, false, false, true, false]],
  [quota({ rate: 2.9 }), [0, 0, 0], [true, true, false]],
  [quota({ rate: 1, interval: 1, block_interval: 5 }), [0, 0.5, 1, 5.4, 5.5], [true, false, false, false, true]],
])('with %j the requests at %j are allowed: %j', (limit, seconds, expected) => {
  expect(passed(limit, seconds)).toEqual(expected);
});

test('clients are counted separately, and a refused one learns when to retry', () => {
  const limiter = createLimiter();
  const ask = (client: string, at: number) => limiter.pass(quota(), client, at * 1_000);
  expect(ask('a', 0)).toEqual({ allowed: true, limit: 2, remaining: 1, resetSeconds: 10 });
  expect(ask('a', 0.5)).toEqual({ allowed: true, limit: 2, remaining: 0, resetSeconds: 10 });
  expect(ask('a', 3)).toEqual({ allowed: false, limit: 2, remaining: 0, resetSeconds: 7 });
  expect(ask('b', 3).allowed).toBe(true);
});

test('with too many clients only the oldest is forgotten', () => {
  const limiter = createLimiter(2);
  for (const client of ['a', 'b', 'b', 'c']) limiter.pass(quota(), client, 0);
  expect(limiter.pass(quota(), 'b', 0).allowed).toBe(false);
  expect(limiter.pass(quota(), 'a', 0).remaining).toBe(1);
});

test.each([
  ['', 'any/path', true],
  ['secret/', 'secret/a', true],
  ['secret/', 'secrets/a', false],
  ['secret/a', 'secret/a', true],
  ['secret/a', 'secret/a/b', false],
  ['secret/a*', 'secret/ab/c', true],
  ['secret/a*', 'secret/b', false],
])('a quota of the path %j applies to %j: %j', (path, asked, expected) => {
  expect(isFor(quota({ path }), { namespace: rootNamespace, path: asked })).toBe(expected);
});

test('the most specific quota applies', () => {
  const paths = ['', 'secret/', 'secret/a*', 'secret/ab*', 'secret/a'];
  const sorted = bySpecificity([...paths.map((path) => quota({ path })), quota({ path: 'auth/x/', role: 'ci' })]);
  expect(sorted.map(({ path }) => path)).toEqual(['auth/x/', 'secret/a', 'secret/ab*', 'secret/a*', 'secret/', '']);
  const login = { namespace: rootNamespace, path: 'auth/x/login' };
  expect(isFor(quota({ role: 'CI' }), { ...login, role: 'ci' })).toBe(true);
  expect(isFor(quota({ role: 'ci' }), { ...login, role: 'other' })).toBe(false);
  expect(isFor(quota({ role: 'ci' }), login)).toBe(false);
});
