import { expect, test } from 'vitest';
import { badField } from '#core/errors.ts';
import { sentOf } from '#core/problem.ts';

const same = (word: string) => word;

test('a problem has a message of its own where that of errors does not fit', () => {
  const error = badField('a', 'a "x" is wrong', { rule: 'wrong' });
  expect([error.messages, error.problemsIn(same)]).toEqual([['a "x" is wrong'], [{ field: 'a', message: 'wrong' }]]);
});

test('a refusal of no field has no problems', () => {
  expect(badField([], 'refused').problemsIn(same)).toEqual([]);
});

test('of several fields those count that the request has, or all when it has none', () => {
  expect(sentOf({ ttl: 1, max_ttl: undefined }, ['ttl', 'max_ttl'])).toEqual(['ttl']);
  expect(sentOf({ ttl: undefined, max_ttl: undefined }, ['ttl', 'max_ttl'])).toEqual(['ttl', 'max_ttl']);
});
