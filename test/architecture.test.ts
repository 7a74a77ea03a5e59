import { glob, readFile } from 'node:fs/promises';
import { matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { floorViolations, folderCycles } from './architecture/floors.ts';
import {
  cycles,
  foreignTexts,
  importViolations,
  packageViolations,
  pathViolations,
  schemaChanges,
  wordViolations,
} from './architecture/rules.ts';
import { scan } from './architecture/scan.ts';
import { folderNamesMax, functionLinesMax, longFunctions, wideFolders } from './architecture/sizes.ts';
import { packagesByType } from './support/facts.ts';

const root = new URL('..', import.meta.url).pathname;
const deployedLinesMax = 30;
const longestShown = 10;

const patterns = ['{lib,functions,infra,test}/**/*.{ts,tsx,mjs}', '*.{ts,tsx}'];
const sources = await read(patterns);
const files = sources.map(({ path, text }) => scan(path, text));
const others = await read(['{docs,infra}/**/*.{md,yml,yaml,json,sh}', '*.{md,yml,json}', '.ci/*', '.github/**/*.yml']);

test('the scan finds files', () => {
  expect(files.filter(({ path }) => path.startsWith('lib/')).length).toBeGreaterThan(50);
  expect(files.some(({ imports }) => imports.length > 0)).toBe(true);
});

test('the documentation is read too', () => {
  expect(patterns.some((pattern) => matchesGlob('lib/ui/page.tsx', pattern))).toBe(true);
});

test('every import keeps to the table of imports', () => {
  expect(importViolations(files, packagesByType)).toEqual([]);
});

test('destinations import the packages that their facts declare, and package.json has them', async () => {
  const { dependencies } = z
    .object({ dependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(await readFile(`${root}package.json`, 'utf8')));
  // The web page is built: no process needs the packages that its files contain.
  const running = files.filter(({ path }) => !path.startsWith('lib/ui/'));
  expect(packageViolations(running, packagesByType, new Set(Object.keys(dependencies)))).toEqual([]);
});

test('every imported file exists', () => {
  const paths = new Set(files.map(({ path }) => path));
  const missing = files.flatMap(({ path, imports }) =>
    imports.flatMap((one) =>
      one.kind === 'file' && /\.(ts|mjs)$/.test(one.path) && !paths.has(one.path) ? [`${path} → ${one.path}`] : [],
    ),
  );
  expect(missing).toEqual([]);
});

test('there are no import cycles between files, not even of types', () => {
  expect(cycles(files)).toEqual([]);
});

test('the units of a folder import each other in the order of its floors', () => {
  expect(floorViolations(files)).toEqual([]);
});

test('there are no import cycles between folders', () => {
  expect(folderCycles(files)).toEqual([]);
});

test('imports of another room use its subpath, and relative imports climb at most two folders', () => {
  expect(pathViolations(sources)).toEqual([]);
});

test('the environment is read in one place, and no file has a default export, an enum, a namespace or the type any', () => {
  expect(wordViolations(files)).toEqual([]);
});

test('only migrations change the schema', () => {
  expect(schemaChanges(sources)).toEqual([]);
});

test('texts are about the project only', () => {
  const own = /^test\/architecture\/rules(\.test)?\.ts$/;
  expect(foreignTexts([...sources, ...others].filter(({ path }) => !own.test(path)))).toEqual([]);
});

test(`a function of the code has at most ${functionLinesMax} lines`, () => {
  expect(longFunctions(sources)).toEqual([]);
});

test(`a folder shows at most ${folderNamesMax} names, unless it lists things of one kind`, () => {
  expect(wideFolders([...sources, ...others].map(({ path }) => path))).toEqual([]);
});

test(`a deployed function is a file of at most ${deployedLinesMax} lines`, () => {
  const long = sources.filter(({ path, text }) => path.startsWith('functions/') && linesOf(text) > deployedLinesMax);
  expect(long.map(({ path }) => path)).toEqual([]);
});

// For information only: a long file is not wrong, but the first place to look for a second idea.
test('the longest files are listed', () => {
  const byLength = files.map(({ path, text }) => ({ path, lines: linesOf(text) })).sort((a, b) => b.lines - a.lines);
  const longest = byLength.slice(0, longestShown).map(({ path, lines }) => `${String(lines).padStart(5)} ${path}`);
  expect(longest).toHaveLength(longestShown);
  console.info(`longest files, in lines:\n${longest.join('\n')}`);
});

const linesOf = (text: string): number => text.split('\n').length - 1;

async function read(patterns: readonly string[]) {
  const found: { readonly path: string; readonly text: string }[] = [];
  for await (const path of glob(patterns, { cwd: root, exclude: ['**/node_modules/**'] })) {
    if (path !== 'package-lock.json') found.push({ path, text: await readFile(`${root}${path}`, 'utf8') });
  }
  return found;
}
