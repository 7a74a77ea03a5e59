import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('the definition imports no SDK and no Node module but crypto', async () => {
  const { metafile } = await build({
    entryPoints: ['lib/destinations/cloud-a-sm/index.ts'],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
  expect(new Set(imports)).toEqual(new Set(['zod', 'node:crypto']));
});
