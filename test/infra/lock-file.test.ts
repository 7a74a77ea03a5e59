import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';

const names = z.record(z.string(), z.string()).default({});
const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      license: z.string().optional(),
      integrity: z.string().optional(),
      resolved: z.string().optional(),
      dev: z.boolean().default(false),
      optional: z.boolean().default(false),
      os: z.array(z.string()).default([]),
      cpu: z.array(z.string()).default([]),
      dependencies: names,
      optionalDependencies: names,
    }),
  ),
});

const { packages } = lockFile.parse(
  JSON.parse(await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8')),
);

/**
 * npm silently leaves a platform's package out of the lock file when the registry does not have it, and `npm ci` then refuses the file
 * on every machine.
 */
test('the lock file has an entry for every dependency of a locked package, on every platform', () => {
  expect(Object.keys(packages).length).toBeGreaterThan(100);
  expect(missing(packages)).toEqual([]);
});

/**
 * The registry that the lock file was made with does not have these versions, and a hash cannot be had without the package.
 * npm refuses a lock file without the entries. Who has the packages adds the hash and takes the name off here.
 */
const unhashed = [
  ...['android-arm64', 'android-x64', 'darwin-arm64', 'darwin-x64'].map((name) => `@biomejs/cli-${name}`),
  ...['linux-arm64-musl', 'linux-x64-musl', 'win32-arm64', 'win32-x64'].map((name) => `@biomejs/cli-${name}`),
  ...['darwin-arm64', 'darwin-x64', 'linux-arm', 'win32-x64'].map(
    (name) => `@msgpackr-extract/msgpackr-extract-${name}`,
  ),
];

test('every entry has the hash of its package, except the optional ones of other platforms that are named here', () => {
  const without = Object.entries(packages).filter(([path, { integrity }]) => path !== '' && !isHash(integrity));
  expect(without.map(([path]) => path.replace('node_modules/', '')).sort()).toEqual([...unhashed].sort());
  for (const [path, entry] of without) {
    expect(entry, path).toMatchObject({ optional: true });
    expect(isSupported(path, entry), path).toBe(false);
  }
});

test('a hash of another form and a download address are found', () => {
  expect([`sha512-${'A'.repeat(86)}==`, 'sha1-abc', undefined].map(isHash)).toEqual([true, false, false]);
  expect(Object.entries(packages).flatMap(([path, { resolved }]) => (resolved === undefined ? [] : [path]))).toEqual(
    [],
  );
});

const isHash = (text: string | undefined): boolean => /^sha512-[A-Za-z0-9+/]{86}==$/.test(text ?? '');

/** The supported platforms of the README: Linux with the GNU library, on x64 or arm64. */
const isSupported = (path: string, { os, cpu }: Pick<Locked[string], 'os' | 'cpu'>): boolean =>
  os.includes('linux') && (cpu.includes('x64') || cpu.includes('arm64')) && !path.endsWith('-musl');

test('a missing entry is found, beside the package and above it', () => {
  const none = {};
  const one = { dependencies: none, optionalDependencies: { 'b-linux': '1.0.0' } };
  const leaf = { dependencies: none, optionalDependencies: none };
  expect(missing({ 'node_modules/a': one })).toEqual(['node_modules/a → b-linux']);
  expect(missing({ 'node_modules/a': one, 'node_modules/b-linux': leaf })).toEqual([]);
  expect(missing({ 'node_modules/x/node_modules/a': one, 'node_modules/x/node_modules/b-linux': leaf })).toEqual([]);
  expect(missing({ 'node_modules/a': one, 'node_modules/x/node_modules/b-linux': leaf })).toHaveLength(1);
});

test('the SDK clients of one cloud have the same version, so that they share their dependencies', () => {
  const asked = Object.entries(packages['']?.dependencies ?? {}).filter(([name]) =>
    name.startsWith('@aws-sdk/client-'),
  );
  expect(asked.length).toBeGreaterThan(1);
  expect(new Set(asked.map(([, version]) => version)).size).toBe(1);
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

type Wanted = Pick<Locked[string], 'dependencies' | 'optionalDependencies'>;

function missing(locked: Readonly<Record<string, Wanted>>): readonly string[] {
  return Object.entries(locked).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !folders(path).some((folder) => Object.hasOwn(locked, `${folder}${name}`)))
      .map((name) => `${path} → ${name}`),
  );
}

/** The folders in which Node looks for the imports of a package: below it, beside it and above it. */
function folders(path: string): readonly string[] {
  const folders = path === '' ? [] : path.split(/(?<=^|\/)node_modules\//).slice(1);
  return [...folders.keys(), folders.length].map((depth) =>
    [...folders.slice(0, depth).map((folder) => `node_modules/${folder.replace(/\/?$/, '/')}`), 'node_modules/'].join(
      '',
    ),
  );
}
