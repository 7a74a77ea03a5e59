import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { folderOf, justBefore, mountsOf, placeOf, secretsUrl } from '#ui/pages/secrets/address.ts';
import { compared } from '#ui/pages/secrets/values/changes.ts';
import { patchOf, problemOf } from '#ui/pages/secrets/write/new-version.ts';

const bytes = (text: string) => Buffer.from(text);

describe('the listing of names with a prefix', () => {
  test('begins with them: nothing with the prefix is before its start, nothing without it behind the start and before them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme' }), (prefix, rest) => {
        fc.pre(prefix.isWellFormed() && (prefix.codePointAt(prefix.length - 1) ?? 0) > 1);
        expect(Buffer.compare(bytes(justBefore(prefix)), bytes(prefix + rest))).toBe(-1);
      }),
    );
    expect(Buffer.compare(bytes('apo'), bytes(justBefore('app')))).toBe(-1);
    expect(justBefore('')).toBe('');
  });

  test('has no half of a surrogate pair in its start', () => {
    for (const prefix of ['\ue000', '\u{10000}', 'a']) expect(justBefore(prefix).isWellFormed()).toBe(true);
  });
});

describe('the address of the page', () => {
  test.each([
    { mount: 'secret', folder: '', secret: '', find: '' },
    { mount: 'team/kv', folder: 'a b/ü/', secret: '', find: 'x&y' },
    { mount: 'secret', folder: 'a/', secret: 'a/b?c=d.e', find: '' },
  ])('leads to the same place: %j', (place) => {
    const query = Object.fromEntries(new URL(secretsUrl(place), 'http://localhost').searchParams);
    expect(placeOf(query)).toEqual(place);
  });

  test('of a secret knows its folder', () => {
    expect([folderOf('a/b/c'), folderOf('a')]).toEqual(['a/b/', '']);
  });
});

test('only mounts of key/value secrets are shown, with their version', () => {
  const secret = {
    'kv/': { type: 'kv', options: { version: '1' }, description: 'old' },
    'cubbyhole/': { type: 'cubbyhole', options: null },
    'a/': { type: 'kv', options: { version: '2' }, description: '' },
  };
  expect(mountsOf({ secret })).toEqual([
    { path: 'a', description: '', hasVersions: true },
    { path: 'kv', description: 'old', hasVersions: false },
  ]);
});

test('versions are compared by their keys, whatever the order of members', () => {
  const earlier = { a: '1', b: { x: 1, y: [1, 2] }, gone: 'g', c: '1' };
  const later = { b: { y: [1, 2], x: 1 }, a: '2', fresh: '', c: 1 };
  expect(compared(earlier, later)).toEqual([
    ['a', 'changed'],
    ['c', 'changed'],
    ['fresh', 'added'],
    ['gone', 'removed'],
    ['b', 'same'],
  ]);
});

describe('a new version', () => {
  const stored = { key: 'a', value: '', isStored: true };
  test('changes only what was typed or taken out', () => {
    expect(patchOf([stored, { key: 'n', value: 'v', isStored: false }], ['a', 'b'])).toEqual({ n: 'v', b: null });
  });

  test.each([
    ['a', [stored], ['a'], [], 'Nothing is changed.'],
    ['a', [stored], ['a'], ['t/n'], ''],
    ['a', [{ key: '', value: 'x', isStored: false }], [], [], 'Each value needs a key.'],
    ['a', [stored, { key: 'a', value: 'x', isStored: false }], ['a'], [], 'The key a is there twice.'],
    ['a/', [{ key: 'k', value: 'x', isStored: false }], [], [], 'The path has to end with the name of the secret.'],
    ['a', [], [], [], 'A secret needs a key.'],
  ] as const)('of %s with %j', (path, pairs, known, places, problem) => {
    expect(problemOf(path, pairs, known, places)).toBe(problem);
  });
});
