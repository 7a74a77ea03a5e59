import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scan } from '../architecture/scan.ts';
import { filesByLane, laneOf, lanes } from './lanes.ts';
import { longest } from './order.ts';

const root = new URL('../..', import.meta.url).pathname;
const files = filesByLane(root);
const read = (path: string) => readFileSync(join(root, path), 'utf8');

test('every test file is in exactly one lane, and each lane has files', () => {
  const all = lanes.flatMap((lane) => files[lane]);
  expect(new Set(all).size).toBe(all.length);
  for (const lane of lanes) expect(files[lane].length, lane).toBeGreaterThan(10);
});

test.each([
  ['shared', 'test/core/a.test.ts', `const one = 1;`],
  ['own', 'test/core/a.test.ts', `vi.useFakeTimers();`],
  ['own', 'test/core/a.test.ts', `process.env['A'] = 'b';`],
  ['system', 'test/core/a.system.test.ts', `vi.useFakeTimers();`],
] as const)('the lane is %s for %s with %s', (lane, path, text) => {
  expect(laneOf(path, text)).toBe(lane);
});

/** Start programs and servers, each of which takes seconds. */
const starters = [
  'infra/local/pooler/start.ts',
  'infra/local/postgres/start.ts',
  'infra/local/redis/start.ts',
  'test/support/flow/processes.ts',
];

test('only system tests start programs or servers', () => {
  const fast = [...files.shared, ...files.own];
  const violations = fast.flatMap((path) => {
    const reached = reachedFrom(path);
    return starters.filter((starter) => reached.has(starter)).map((starter) => `${path} → ${starter}`);
  });
  expect(violations, 'name these files *.system.test.ts').toEqual([]);
});

/** The files below test/ and infra/ that a test file loads, directly or not. */
function reachedFrom(path: string): ReadonlySet<string> {
  const reached = new Set([path]);
  for (const one of reached) {
    const { imports } = scanned(one);
    for (const each of imports) {
      if (each.kind === 'file' && /^(test|infra)\/.*\.ts$/.test(each.path)) reached.add(each.path);
    }
  }
  return reached;
}

const scans = new Map<string, ReturnType<typeof scan>>();
function scanned(path: string) {
  const found = scans.get(path) ?? scan(path, read(path).replaceAll(/^import type [^;]*;/gm, ''));
  scans.set(path, found);
  return found;
}

test('suites that run some test files by their path name files that are there', () => {
  const commands = ['test/pooler/main.ts', 'test/oldest-postgres/main.ts', 'test/infra/helm/main.ts'];
  const named = commands.flatMap((command) =>
    [...read(command).matchAll(/'(test\/[^']+)'/g)].map(([, path = '']) => path),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('the files that begin first are files of the system lane', () => {
  expect(longest.filter((path) => !files.system.includes(path))).toEqual([]);
});
