import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { decodeKey } from '#store/seal/shares/key-text.ts';
import { checkShareRule, combineShares, splitKey } from '#store/seal/shares/shares.ts';

test.each([
  [1, 1],
  [2, 2],
  [5, 3],
  [255, 255],
])('of %i shares any %i give the key back', async (shares, threshold) => {
  const rule = { shares, threshold };
  checkShareRule(rule);
  const key = randomBytes(32);
  const split = await splitKey(key, rule);
  expect(split).toHaveLength(shares);
  expect(await combineShares(split.slice(shares - threshold), rule)).toEqual(key);
  expect(await combineShares(split.slice(0, threshold), rule)).toEqual(key);
});

test('fewer shares than needed give another key', async () => {
  const rule = { shares: 5, threshold: 3 };
  const key = randomBytes(32);
  const split = await splitKey(key, rule);
  expect(await combineShares(split.slice(0, 2), rule)).not.toEqual(key);
});

test('a share is one byte longer than the key, and a single share is the key itself', async () => {
  const key = randomBytes(32);
  const shares = await splitKey(key, { shares: 3, threshold: 2 });
  expect(shares.map((share) => share.length)).toEqual([33, 33, 33]);
  expect(await splitKey(key, { shares: 1, threshold: 1 })).toEqual([key]);
});

test.each([
  [0, 0, 'secret_shares must be at least 1'],
  [256, 3, 'secret_shares must be at most 255'],
  [5, 0, 'secret_threshold must be at least 1'],
  [3, 4, 'secret_threshold must not be greater than secret_shares'],
  [2, 1, 'secret_threshold must be greater than 1 for more than one share'],
  [-1, -1, 'secret_shares must be at least 1'],
])('%i shares with a threshold of %i are refused', (shares, threshold, why) => {
  expect(() => checkShareRule({ shares, threshold })).toThrow(`invalid seal configuration: ${why}`);
});

test('a key is read as hex and as base64, with and without padding and line end', () => {
  for (const bytes of [32, 33]) {
    const key = randomBytes(bytes);
    for (const text of [key.toString('hex'), key.toString('hex').toUpperCase(), key.toString('base64')]) {
      expect(decodeKey(`${text}\n`)).toEqual(key);
    }
    expect(decodeKey(key.toString('base64').replace(/=+$/, ''))).toEqual(key);
  }
  for (const text of ['', ' ', 'not a key!', 'abc-']) expect(decodeKey(text)).toBeUndefined();
});
