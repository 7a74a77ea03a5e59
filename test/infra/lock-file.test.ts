import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';

const names = z.record(z.string(), z.string()).default({});
const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      license: z.string().optional(),
      dev: z.boolean().default(false),
      dependencies: names,
      optionalDependencies: names,
    }),
  ),
});

const { packages } = lockFile.parse(
  JSON.parse(await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8')),
);

/**
 * npm leaves a platform's package out of the lock file when the registry it asked did not have it, without a word, and
 * `npm ci` then refuses the file on every machine.
 */
test('the lock file has an entry for everything that a locked package asks for, whatever the platform', () => {
  expect(Object.keys(packages).length).toBeGreaterThan(100);
  expect(missing(packages)).toEqual([]);
});

test('a missing entry is found, beside the package and above it', () => {
  const none = {};
  const one = { dev: false, dependencies: none, optionalDependencies: { 'b-linux': '1.0.0' } };
  const leaf = { dev: false, dependencies: none, optionalDependencies: none };
  expect(missing({ 'node_modules/a': one })).toEqual(['node_modules/a → b-linux']);
  expect(missing({ 'node_modules/a': one, 'node_modules/b-linux': leaf })).toEqual([]);
  expect(missing({ 'node_modules/x/node_modules/a': one, 'node_modules/x/node_modules/b-linux': leaf })).toEqual([]);
  expect(missing({ 'node_modules/a': one, 'node_modules/x/node_modules/b-linux': leaf })).toHaveLength(1);
});

test('what is deployed has a permissive licence, and no tool has a strong copyleft', () => {
  const permissive = /^\(?(MIT|MIT-0|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|CC0-1\.0|Unlicense)\b/;
  const weak = /^(MPL-2\.0|(PSF|Python)-2\.0)$/;
  const refused = Object.entries(packages).filter(
    ([, { license, dev }]) => license !== undefined && !permissive.test(license) && !(dev && weak.test(license)),
  );
  expect(refused.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});

type Locked = z.output<typeof lockFile>['packages'];

function missing(locked: Locked): readonly string[] {
  return Object.entries(locked).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !places(path).some((place) => Object.hasOwn(locked, `${place}${name}`)))
      .map((name) => `${path} → ${name}`),
  );
}

/** Where Node looks for what a package imports: below it, beside it, and above it. */
function places(path: string): readonly string[] {
  const folders = path === '' ? [] : path.split(/(?<=^|\/)node_modules\//).slice(1);
  return [...folders.keys(), folders.length].map((depth) =>
    [...folders.slice(0, depth).map((folder) => `node_modules/${folder.replace(/\/?$/, '/')}`), 'node_modules/'].join(
      '',
    ),
  );
}
