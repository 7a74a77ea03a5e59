import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bundle } from '#infra/package/bundle.ts';
import { foreignParts, type Held } from '#infra/package/sdk.ts';
import { zip } from '#infra/package/zip.ts';

const none = { packages: new Set<string>(), inputs: new Set<string>(), sdk: new Set<string>() };
const held = (name: string, type: string | undefined, more: Partial<Held> = {}): Held => ({
  ...none,
  name,
  type,
  ...more,
});

test('a bundle with the SDK or the driver of another type is found', () => {
  const one = held('sync-a', 'a', { sdk: new Set(['sdk-a', 'zod']), packages: new Set(['sdk-a', 'zod', 'pg']) });
  const other = held('sync-b', 'b', { sdk: new Set(['sdk-b', 'zod']), packages: new Set(['sdk-b', 'zod', 'pg']) });
  const api = held('api', undefined, { packages: new Set(['zod', 'pg']) });
  expect(foreignParts([one, other, api])).toEqual([]);
  const thief = { ...one, packages: new Set([...one.packages, 'sdk-b']) };
  expect(foreignParts([thief, other, api])).toEqual(['sync-a contains sdk-b of b']);
  const nosy = { ...other, inputs: new Set(['lib/destinations/a/driver.ts']) };
  expect(foreignParts([one, nosy, api])).toEqual(['sync-b contains lib/destinations/a/driver.ts of a']);
});

test('the packages of a bundle are those it contains, not those that were read to build it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-bundle-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const contents = "import './lib/http/server/server.ts'; import { z } from 'zod'; console.log(z.string());";
  const { packages, metafile, bytes } = await bundle({ contents, loader: 'ts' }, join(folder, 'index.cjs'));
  expect(Object.keys(metafile.inputs).join()).toContain('node_modules/fastify/');
  expect([...packages]).toEqual(['zod']);
  expect(bytes).toBeGreaterThan(1_000);
});

test('the same files are packed into the same bytes', () => {
  const files = { 'index.cjs': new TextEncoder().encode('module.exports = 1;') };
  expect(zip(files)).toEqual(zip(files));
});
