import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Where a test file runs. The name of the file and its own text decide, so a reader sees it in the file.
 *
 * - `system`: files named `*.system.test.ts`. They start processes or servers, wait on purpose, or try a whole product of cases.
 *   `npm run test:system` runs them, each in its own worker.
 * - `own`: files that change what all tests of a process share (environment, clock, mocks), or measure it. Each has its own worker.
 * - `shared`: all others. Several run one after another in the same worker, so modules are loaded once.
 */
export type Lane = 'shared' | 'own' | 'system';

export const lanes: readonly Lane[] = ['shared', 'own', 'system'];

/** What a file changes or measures in its process: mocks and the clock of vitest, or the process itself. */
const changesProcess =
  /\bvi\.|\bprocess\.(env|on|once|chdir|exit|memoryUsage)\b|\bglobalThis\.|linear\.ts|processor-time\.ts/;

export function laneOf(path: string, text: string): Lane {
  if (path.endsWith('.system.test.ts')) return 'system';
  return changesProcess.test(text) ? 'own' : 'shared';
}

/** All test files below a root, by lane. */
export function filesByLane(root: string): Readonly<Record<Lane, readonly string[]>> {
  const paths = globSync('test/**/*.test.ts', { cwd: root }).sort();
  const placed = paths.map((path) => ({ path, lane: laneOf(path, readFileSync(join(root, path), 'utf8')) }));
  const of = (lane: Lane) => placed.filter((one) => one.lane === lane).map(({ path }) => path);
  return { shared: of('shared'), own: of('own'), system: of('system') };
}
