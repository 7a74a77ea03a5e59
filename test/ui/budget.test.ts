import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPage } from '#infra/ui/build.ts';

const kilobyte = 1_024;
const firstScriptMax = 60 * kilobyte;
const firstStyleMax = 12 * kilobyte;
const laterMax = 25 * kilobyte;
const wholeMax = 300 * kilobyte;

let folder: string;
let metafile: Metafile;
/** Compressed, by name. */
const sizes = new Map<string, number>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyferry-page-'));
  metafile = await buildPage(folder);
  for (const name of Object.keys(outputs())) sizes.set(name, gzipSync(await readFile(join(folder, name))).byteLength);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const nameOf = (path: string): string => path.split('/').at(-1) ?? '';
const outputs = () =>
  Object.fromEntries(Object.entries(metafile.outputs).map(([path, output]) => [nameOf(path), output] as const));

/** A file and all that it loads at once. */
function loaded(name: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const { path, kind } of outputs()[name]?.imports ?? [])
    if (kind === 'import-statement') loaded(nameOf(path), seen);
  return seen;
}

const sizeOf = (names: Iterable<string>): number => [...names].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
const entry = (start: string): string => Object.keys(outputs()).find((name) => name.startsWith(start)) ?? '';

/** The parts that are loaded when they are needed. */
const later = (): readonly string[] => [
  ...new Set(
    Object.values(outputs()).flatMap(({ imports }) =>
      imports.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => nameOf(path)),
    ),
  ),
];

test('the first load is small', () => {
  const first = loaded(entry('main-'));
  const overview = loaded(entry('overview-'));
  const script = sizeOf(new Set([...first, ...overview]));
  console.info(
    `the overview loads ${script} bytes of scripts and ${sizes.get(entry('styles-'))} of styles, compressed`,
  );
  expect(script).toBeLessThanOrEqual(firstScriptMax);
  expect(sizes.get(entry('styles-'))).toBeLessThanOrEqual(firstStyleMax);
});

test('each page loads little beside it', () => {
  const first = loaded(entry('main-'));
  expect(later().length).toBeGreaterThan(5);
  const large = later().filter((name) => sizeOf([...loaded(name)].filter((one) => !first.has(one))) > laterMax);
  expect(large).toEqual([]);
});

test('all files together are small', () => {
  expect(sizeOf(sizes.keys())).toBeLessThanOrEqual(wholeMax);
});
