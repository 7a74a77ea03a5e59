import { expect, test } from 'vitest';
import { compileGlob } from '#sync/rules/glob.ts';
import { leastProcessorMs } from '#test/support/measures/processor-time.ts';

test.each([
  ['*/db', 'a/db', true],
  ['*/db', 'a/b/db', false],
  ['**/db', 'a/b/db', true],
  ['**db', 'db', true],
  ['a?c', 'abc', true],
  ['a?c', 'a/c', false],
  ['a?c', 'ac', false],
  ['app/**', 'app/', true],
  ['app/**', 'app', false],
  ['a.c', 'abc', false],
  ['*', '', true],
  ['ä?', 'ä😀', true],
])('%s and %s: %s', (glob, path, matches) => {
  expect(compileGlob(glob)(path)).toBe(matches);
});

test('a glob with many wildcards takes no longer than its length times that of the path', () => {
  const matches = compileGlob('*a'.repeat(100));
  const path = 'a'.repeat(2_000).concat('b');
  expect(matches(path)).toBe(false);
  expect(leastProcessorMs(() => matches(path))).toBeLessThan(5_000);
});
