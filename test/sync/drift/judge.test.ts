import { describe, expect, test } from 'vitest';
import type { Inspection, Listed } from '#destinations/contract.ts';
import { isInLine, judgeDrift, type Recorded } from '#sync/drift/judge.ts';

const [mark, another] = ['a'.repeat(32), 'b'.repeat(32)];
const writtenAt = new Date('2026-01-01T12:00:00Z');
const recorded: Recorded = { mark, remoteVersion: 'id:1', writtenAt };
const tags = { team: 'shop' };
const there: Inspection = { mark, remoteVersion: 'id:1', tags: { team: 'shop', more: 'of others' } };
const versions = { listing: 'versions' } as const;
const withIds = {
  ...versions,
  isSameObject: (one: string, other: string) => one.split(':')[0] === other.split(':')[0],
};
const markless = { ...versions, markless: true } as const;

describe('an object that a look saw', () => {
  test.each<[string, Parameters<typeof judgeDrift>[0], Inspection | undefined, string | undefined]>([
    ['is as we left it, with tags of others', versions, there, undefined],
    ['is gone', versions, undefined, 'deleted'],
    ['has another version', versions, { ...there, remoteVersion: 'id:2' }, 'changed'],
    ['has another key', versions, { ...there, differs: true }, 'changed'],
    ['has another tag', versions, { ...there, tags: { team: 'x' } }, 'tags'],
    ['lost a tag', versions, { ...there, tags: {} }, 'tags'],
    ['lost its mark', versions, { ...there, mark: null }, 'tags'],
    ['has another mark', versions, { ...there, mark: another }, 'foreign'],
    ['has no mark and another version', versions, { ...there, mark: null, remoteVersion: 'id:2' }, 'foreign'],
    ['lost its mark by a change, and has its id', withIds, { ...there, mark: null, remoteVersion: 'id:2' }, 'changed'],
    ['has no mark and another id', withIds, { ...there, mark: null, remoteVersion: 'other:1' }, 'foreign'],
    ['is in a system without marks', markless, { ...there, mark: null }, undefined],
    ['was changed in a system without marks', markless, { mark: null, remoteVersion: 'id:2' }, 'changed'],
    ['is in a system without tags', versions, { mark, remoteVersion: 'id:1' }, undefined],
    [
      'has no mark and only a number like ours',
      { listing: 'names' },
      { ...there, mark: null, remoteVersion: 'id:2' },
      'foreign',
    ],
  ])('that %s', (_what, rules, seen, kind) => {
    expect(judgeDrift(rules, recorded, tags, seen)).toBe(kind);
  });
});

describe('an object on a page', () => {
  const listed = (changes: Partial<Listed> = {}): Listed => ({ name: 'n', changedAt: writtenAt, ...there, ...changes });
  const later = (ms: number) => new Date(writtenAt.getTime() + ms);

  test.each<[string, Parameters<typeof isInLine>[0], Listed, boolean]>([
    ['with our version', versions, listed(), true],
    ['with another version', versions, listed({ remoteVersion: 'id:2' }), false],
    [
      'with a time soon after ours',
      { listing: 'times' },
      listed({ remoteVersion: null, changedAt: later(5_000) }),
      true,
    ],
    ['with a later time', { listing: 'times' }, listed({ remoteVersion: null, changedAt: later(5_001) }), false],
    ['without a time', { listing: 'times' }, listed({ remoteVersion: null, changedAt: null }), false],
    ['with a time and other tags', { listing: 'times' }, listed({ remoteVersion: null, tags: {} }), false],
    ['with a time and another mark', { listing: 'times' }, listed({ remoteVersion: null, mark: another }), false],
    ['with nothing but its name', { listing: 'names' }, listed({ remoteVersion: null, changedAt: null }), false],
  ])('%s', (_what, rules, one, isAsLeft) => {
    expect(isInLine(rules, recorded, tags, one)).toBe(isAsLeft);
  });
});
