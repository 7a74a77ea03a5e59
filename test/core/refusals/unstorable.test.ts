import { expect, test } from 'vitest';
import { Unstorable } from '#core/json/unstorable.ts';

const fieldsOf = (input: Readonly<Record<string, unknown>>) =>
  new Unstorable()
    .in(input)
    .problemsIn((word) => word)
    .map(({ field }) => field);

test('a text that cannot be stored is a problem of each field that has one, at any depth, also as a key', () => {
  const input = {
    good: 'a',
    nul: 'a\0',
    half: ['b', '\ud800'],
    deep: { a: [{ b: '\0' }] },
    key: { '\0': 1 },
    none: null,
  };
  expect(fieldsOf(input)).toEqual(['nul', 'half', 'deep', 'key']);
});

test('a value of any depth is searched', () => {
  let deep: unknown = '\0';
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  expect(fieldsOf({ deep, other: undefined })).toEqual(['deep']);
});

test('the text is the same with fields and without', () => {
  expect(new Unstorable().in({ a: '\0' }).messages).toEqual(new Unstorable().messages);
});
