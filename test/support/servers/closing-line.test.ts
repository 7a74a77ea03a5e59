import { expect, test } from 'vitest';
import { type Counted, lineOf, tally } from './closing-line.ts';

type State = 'passed' | 'failed' | 'skipped' | 'pending';

const module = (ok: boolean, ...states: readonly State[]): Counted => ({
  ok: () => ok,
  children: { allTests: () => states.map((state) => ({ result: () => ({ state }) })) },
});

test('the line counts passed and failed tests, and skipped ones only when there are some', () => {
  expect(lineOf({ passed: 12, failed: 0, skipped: 0 })).toBe('12 passed, 0 failed');
  expect(lineOf({ passed: 12, failed: 1, skipped: 2 })).toBe('12 passed, 1 failed, 2 skipped');
});

test('tests of all modules are counted by their state', () => {
  const modules = [module(true, 'passed', 'skipped'), module(false, 'passed', 'failed', 'failed')];
  expect(tally(modules, 0)).toEqual({ passed: 2, failed: 2, skipped: 1 });
});

test('a module that could not be loaded counts as one failure', () => {
  expect(tally([module(false), module(true, 'passed')], 0)).toEqual({ passed: 1, failed: 1, skipped: 0 });
});

test('a hook that fails after passing tests counts as one failure', () => {
  expect(tally([module(false, 'passed', 'passed')], 0)).toEqual({ passed: 2, failed: 1, skipped: 0 });
});

test('a test that was not run, and an error that belongs to no test, count as failures', () => {
  expect(tally([module(false, 'passed', 'pending')], 2)).toEqual({ passed: 1, failed: 3, skipped: 0 });
});
