import { glob, readFile } from 'node:fs/promises';
import { matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  cycles,
  foreignTexts,
  importViolations,
  packageViolations,
  schemaChanges,
  wordViolations,
} from './architecture/rules.ts';
import { scan } from './architecture/scan.ts';
import { packagesByType } from './support/facts.ts';

const root = new URL('..', import.meta.url).pathname;
const functionLinesMax = 30;
const longestShown = 10;

const patterns = ['{lib,functions,infra,test}/**/*.{ts,tsx,mjs}', '*.{ts,tsx}'];
const sources = await read(patterns);
const files = sources.map(({ path, text }) => scan(path, text));
const others = await read(['{docs,infra}/**/*.{md,yml,yaml,json,sh}', '*.{md,yml,json}', '.ci/*', '.github/**/*.yml']);

test('there is something to look at', () => {
  expect(files.filter(({ path }) => path.startsWith('lib/')).length).toBeGreaterThan(50);
  expect(files.some(({ imports }) => imports.length > 0)).toBe(true);
});

test('pages are read as well', () => {
  expect(patterns.some((pattern) => matchesGlob('lib/ui/page.tsx', pattern))).toBe(true);
});

test('every import keeps to the table of imports', () => {
  expect(importViolations(files, packagesByType)).toEqual([]);
});

test('destinations import the packages that their facts name, and package.json has them', async () => {
  const { dependencies } = z
    .object({ dependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(await readFile(`${root}package.json`, 'utf8')));
  expect(packageViolations(files, packagesByType, new Set(Object.keys(dependencies)))).toEqual([]);
});

test('every imported file is there', () => {
  const paths = new Set(files.map(({ path }) => path));
  const missing = files.flatMap(({ path, imports }) =>
    imports.flatMap((one) =>
      one.kind === 'file' && /\.(ts|mjs)$/.test(one.path) && !paths.has(one.path) ? [`${path} → ${one.path}`] : [],
    ),
  );
  expect(missing).toEqual([]);
});

test('no files import each other in a circle, not even types', () => {
  expect(cycles(files)).toEqual([]);
});

test('the environment is read in one place, and no file has a default export, an enum, a namespace or the type any', () => {
  expect(wordViolations(files)).toEqual([]);
});

test('the schema is changed by migrations alone', () => {
  expect(schemaChanges(sources)).toEqual([]);
});

test('the project speaks of itself alone', () => {
  const own = /^test\/architecture\/rules(\.test)?\.ts$/;
  expect(foreignTexts([...sources, ...others].filter(({ path }) => !own.test(path)))).toEqual([]);
});

test(`a function has at most ${functionLinesMax} lines`, () => {
  const long = sources.filter(({ path, text }) => path.startsWith('functions/') && linesOf(text) > functionLinesMax);
  expect(long.map(({ path }) => path)).toEqual([]);
});

// For information: a long file is not wrong, but the first file to look for a second idea.
test('the longest files are known', () => {
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
