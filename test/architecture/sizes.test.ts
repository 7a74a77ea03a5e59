import { describe, expect, test } from 'vitest';
import { longFunctions, wideFolders } from './sizes.ts';

const body = (lines: number, indent = '  ') => Array.from({ length: lines }, () => `${indent}work();`).join('\n');

describe('a long function is found', () => {
  test.each([
    ['a declaration', `export async function run(): Promise<void> {\n${body(5)}\n}\n`],
    [
      'a declaration with parameters on lines of their own',
      `function run(\n  one: A,\n  other: B,\n): C {\n${body(5)}\n}\n`,
    ],
    ['an arrow with a block', `const run = (one: A) => {\n${body(5)}\n};\n`],
    ['an arrow that returns a list', `const rows = (parts: Parts): readonly Row[] => [\n${body(5)}\n];\n`],
    ['an arrow whose value begins on the next line', `const run = () =>\n${body(6)}\nconst next = 1;\n`],
    ['a method', `class A {\n  async run(one: A): Promise<B> {\n${body(5, '    ')}\n  }\n}\n`],
    [
      'a method with parameters on lines of their own',
      `class A {\n  run(\n    one: A,\n  ): B {\n${body(5, '    ')}\n  }\n}\n`,
    ],
    ['a callback', `each(items, async (item) => {\n${body(5)}\n});\n`],
  ])('when it is %s', (_what, text) => {
    expect(longFunctions([{ path: 'lib/a.ts', text }], 6)).toEqual([
      expect.stringMatching(/^lib\/a\.ts:\d: (?:[789]|10) lines$/),
    ]);
    expect(longFunctions([{ path: 'lib/a.ts', text }], 10)).toEqual([]);
  });
});

test('a call, a list and a condition of many lines are no functions', () => {
  const text = `call(\n${body(9)}\n);\nconst list = [\n${body(9)}\n];\nif (one) {\n${body(9)}\n}\n`;
  expect(longFunctions([{ path: 'lib/a.ts', text }], 6)).toEqual([]);
});

test('functions of tests are not counted, since a group of tests is one', () => {
  const text = `describe('a', () => {\n${body(9)}\n});\n`;
  expect(longFunctions([{ path: 'test/a.test.ts', text }], 6)).toEqual([]);
});

test('a folder with too many files and subfolders is found, and one that lists things of one kind is not', () => {
  const names = ['a.ts', 'b.ts', 'c/one.ts', 'c/other.ts'];
  expect(
    wideFolders(
      names.map((name) => `lib/x/${name}`),
      2,
    ),
  ).toEqual(['lib/x: 3 names']);
  expect(
    wideFolders(
      names.map((name) => `lib/store/migrations/${name}`),
      2,
    ),
  ).toEqual([]);
});
