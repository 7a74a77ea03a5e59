import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyferry-bundle-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const driverFolder = new URL('../../../lib/destinations/repo-host/', import.meta.url).pathname;
// undici is CommonJS and loads Node's modules with `require`, which an ES module does not have.
const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

// Some releases of libsodium-wrappers lacked the file that its ES module imports.
it('Sealing works in a self-contained ES module bundle.', async () => {
  const outfile = join(folder, 'bundle.mjs');
  const contents = `
    import sodium from 'libsodium-wrappers';
    import { seal } from './client/public-key.ts';
    import { openDriver } from './driver.ts';
    await sodium.ready;
    const pair = sodium.crypto_box_keypair();
    const box = await seal({ reveal: () => 'grüße' }, { id: '1', bytes: pair.publicKey });
    const opened = sodium.crypto_box_seal_open(Buffer.from(box, 'base64'), pair.publicKey, pair.privateKey);
    export const value = sodium.to_string(opened);
    export const open = openDriver;`;
  await build({
    stdin: { contents, resolveDir: driverFolder, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: banner },
    logLevel: 'silent',
  });
  const bundle = await import(/* @vite-ignore */ outfile);
  expect(bundle.value).toBe('grüße');
  expect(bundle.open).toBeTypeOf('function');
});

it('The definition adds no SDK to the bundle of the API.', async () => {
  const { metafile } = await build({
    entryPoints: [join(driverFolder, 'index.ts')],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  });
  expect(Object.keys(metafile.inputs).filter((file) => /octokit|libsodium|undici/.test(file))).toEqual([]);
});
