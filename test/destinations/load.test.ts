import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { loadDriver, loadFake } from '#destinations/load.ts';

describe.each(definitions)('$type', ({ type }) => {
  test('has a driver and a stand-in', async () => {
    expect(await loadDriver(type)).toBeTypeOf('function');
    expect(await loadFake(type)).toBeTypeOf('function');
  });
});

test.each(['unknown', '../network', 'repo-host/fake', ''])(
  'the type "%s" is refused with those that exist',
  async (type) => {
    for (const load of [loadDriver, loadFake])
      await expect(load(type)).rejects.toThrow(/no destination type.*repo-host/);
  },
);

test('a bundle of the list and the loader contains no driver, no stand-in and no SDK', async () => {
  const inputs = await bundled('load.ts');
  expect(inputs.filter((file) => /\/(driver|fake)\.ts$/.test(file))).toEqual([]);
  const packages = inputs.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
  expect([...new Set(packages)].sort()).toEqual(['zod']);
});

test('a bundle of one driver contains no other destination type', async () => {
  const inputs = await bundled('repo-host/driver.ts');
  const others = definitions.map(({ type }) => type).filter((type) => type !== 'repo-host');
  expect(inputs.some((file) => file.includes('/repo-host/'))).toBe(true);
  expect(inputs.filter((file) => others.some((type) => file.includes(`/${type}/`)))).toEqual([]);
});

/** The input files of a bundle. */
async function bundled(file: string): Promise<readonly string[]> {
  const entry = fileURLToPath(new URL(`../../lib/destinations/${file}`, import.meta.url));
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  });
  return Object.keys(metafile.inputs);
}
