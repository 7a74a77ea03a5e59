import { describe, expect, test } from 'vitest';
import { boundProblem } from '#auth/methods/jwt/bound.ts';
import { claimAt, textOf, textsOf } from '#auth/methods/jwt/claims.ts';
import { timeProblem } from '#auth/methods/jwt/times.ts';

describe('a claim', () => {
  const claims = { a: 1, 'b/c': { 'd~e': ['x'] }, '/f': 2, n: { m: 'deep' } };

  test.each([
    ['a', 1],
    ['b/c', { 'd~e': ['x'] }],
    ['/b~1c/d~0e', ['x']],
    ['/b~1c/d~0e/0', 'x'],
    ['/n/m', 'deep'],
    ['/n/m/length', undefined],
    ['/n/none/more', undefined],
    ['toString', undefined],
    ['/__proto__/x', undefined],
  ])('%s is found by name or pointer', (name, value) => {
    expect(claimAt(claims, name)).toEqual(value);
  });

  test('is text only if no digit is lost', () => {
    expect([true, 12, 1.5, 'x'].map(textOf)).toEqual(['true', '12', '1.5', 'x']);
    expect([2 ** 53, null, {}, ['x']].map(textOf)).toEqual([undefined, undefined, undefined, undefined]);
    expect([textsOf('x'), textsOf(['x', 1]), textsOf([['x']])]).toEqual([['x'], ['x', '1'], undefined]);
  });
});

describe('times', () => {
  const now = new Date(1_000_000_000);
  const at = 1_000_000;
  const usual = { clock_skew_leeway: 0, expiration_leeway: 0, not_before_leeway: 0, max_age: 0 };
  const exact = { ...usual, clock_skew_leeway: -1, expiration_leeway: -1, not_before_leeway: -1 };

  test.each([
    [{ exp: at + 10 }, usual, undefined],
    [{ exp: at - 59 }, usual, undefined],
    [{ exp: at - 61 }, usual, 'expired'],
    [{ exp: at - 1 }, exact, 'expired'],
    [{ nbf: at + 59, exp: at + 100 }, usual, undefined],
    [{ nbf: at + 61, exp: at + 100 }, usual, 'not valid yet'],
    [{ iat: at + 61, nbf: at, exp: at + 100 }, usual, 'not valid yet'],
    [{ iat: at - 209 }, usual, undefined],
    [{ iat: at - 211 }, usual, 'expired'],
    [{ iat: at - 1 }, exact, 'expired'],
    [{ exp: at + 500 }, usual, 'not valid yet'],
    [{ exp: at + 500 }, { ...usual, not_before_leeway: 600 }, undefined],
    [{}, usual, 'no issue time'],
    [{ exp: String(at + 10) }, usual, 'must be numbers'],
    [{ exp: -5 }, usual, 'must be numbers'],
    [{ exp: at + 10 }, { ...usual, max_age: 30 }, 'no auth_time'],
    [{ exp: at + 10, auth_time: at - 91 }, { ...usual, max_age: 30 }, 'too old'],
    [{ exp: at + 10, auth_time: at - 89 }, { ...usual, max_age: 30 }, undefined],
  ])('%j with %j: %s', (claims, leeways, problem) => {
    const found = timeProblem(claims, leeways, now);
    expect(found).toEqual(problem === undefined ? undefined : expect.stringContaining(problem));
  });
});

describe('bounds', () => {
  const none = { bound_audiences: [], bound_subject: '', bound_claims: {}, bound_claims_type: 'string' } as const;

  test.each([
    [{}, {}, undefined],
    [{ aud: 'a' }, {}, 'no audiences bound'],
    [{ aud: ['a', 'b'] }, { bound_audiences: ['b'] }, undefined],
    [{ aud: 'c' }, { bound_audiences: ['b'] }, 'does not match any bound audience'],
    [{}, { bound_audiences: ['b'] }, 'does not match any bound audience'],
    [{ aud: { b: 1 } }, { bound_audiences: ['b'] }, 'neither a string'],
    [{ sub: 's' }, { bound_subject: 's' }, undefined],
    [{ sub: 'S' }, { bound_subject: 's' }, 'sub claim'],
    [{ g: ['x', 'y'] }, { bound_claims: { g: ['y', 'z'] } }, undefined],
    [{ g: 'x' }, { bound_claims: { g: ['y', 'z'] } }, 'claim "g" does not match'],
    [{}, { bound_claims: { g: 'x' } }, 'claim "g" is missing'],
    [{ g: true, n: 3 }, { bound_claims: { g: 'true', n: 3 } }, undefined],
    [{ p: { q: 'x' } }, { bound_claims: { '/p/q': 'x' } }, undefined],
    [{ r: 'refs/heads/main' }, { bound_claims: { r: 'refs/*' } }, 'does not match'],
    [{ r: 'refs/heads/main' }, { bound_claims: { r: 'refs/*' }, bound_claims_type: 'glob' as const }, undefined],
    [{ r: {} }, { bound_claims: { r: '*' }, bound_claims_type: 'glob' as const }, 'neither a value'],
  ])('of %j by %j: %s', (claims, bounds, problem) => {
    const found = boundProblem(claims, { ...none, ...bounds });
    expect(found).toEqual(problem === undefined ? undefined : expect.stringContaining(problem));
  });
});
