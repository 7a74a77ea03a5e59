import { describe, expect, test } from 'vitest';
import type { Listed } from '#destinations/contract.ts';
import type { Holding } from '#sync/ask/foreign/holdings.ts';
import { judgeListed, needsLook } from '#sync/ask/foreign/judge.ts';

const [ours, another] = ['a'.repeat(32), 'b'.repeat(32)];
const association = { id: '1', mount: 'secret', secret_name: 'app' };
const here: Holding = { association, mark: ours, written: true, removed: false, remoteVersion: 'v1' };
const listed = (mark: string | null, remoteVersion: string | null = 'v1'): Listed => ({
  name: 'app',
  mark,
  remoteVersion,
  changedAt: null,
});

const versions = { listing: 'versions' } as const;

describe('a listed object', () => {
  test.each([
    ['has our mark', versions, listed(ours, 'v9'), here],
    ['lost its mark and has the version of our last put', versions, listed(null), here],
    ['was removed by us and is back, by a late write', versions, listed(ours), { ...here, removed: true }],
    [
      'has a name that we wrote, in a system without marks',
      { ...versions, markless: true } as const,
      listed(null, 'v9'),
      here,
    ],
  ])('is ours when it %s', (_why, rules, object, holding) => {
    expect(judgeListed(rules, object, holding, false)).toBeUndefined();
  });

  test('is ours when another destination of the installation holds it', () => {
    expect(judgeListed(versions, listed(another), undefined, true)).toBeUndefined();
  });

  test.each([
    ['has another mark in our place', versions, listed(another), here, 'left-behind', association],
    ['has no mark and another version in our place', versions, listed(null, 'v2'), here, 'other', association],
    ['has our name, which we never wrote', versions, listed(null), { ...here, written: false }, 'other', association],
    ['has a name of ours that we removed', versions, listed(null, 'v2'), { ...here, removed: true }, 'other', null],
    ['has a name that we do not hold, and a mark', versions, listed(another), undefined, 'left-behind', null],
    ['has a name that we do not hold, and no mark', versions, listed(null), undefined, 'other', null],
    [
      'lost its mark where a list shows no version',
      { listing: 'names' } as const,
      listed(null, null),
      here,
      'other',
      association,
    ],
  ])('is foreign when it %s', (_why, rules, object, holding, origin, in_place_of) => {
    expect(judgeListed(rules, object, holding, false)).toMatchObject({ origin, in_place_of });
  });

  test('needs a look when its mark was removed and the list shows no version', () => {
    expect(needsLook({ listing: 'times' }, listed(null, null), here)).toBe(true);
    expect(needsLook({ listing: 'times' }, listed(ours, null), here)).toBe(false);
    expect(needsLook(versions, listed(null), here)).toBe(false);
    expect(needsLook({ listing: 'times', markless: true }, listed(null, null), here)).toBe(false);
    expect(needsLook({ listing: 'times' }, listed(null, null), { ...here, written: false })).toBe(false);
  });
});
