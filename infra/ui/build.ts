import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build, type Metafile } from 'esbuild';

/** `node infra/ui/build.ts`: builds the web page of `lib/ui/`. The commands that start or package the API call it. */
const root = new URL('../..', import.meta.url).pathname;

/** Where `lib/app/ui/files.ts` looks for the page. */
export const pageFolder = join(root, '.build/ui');

/** In the page, where the hashed names are. */
const entries = { main: 'lib/ui/main.tsx', styles: 'lib/ui/styles/index.css' };
const browsers = ['chrome117', 'firefox117', 'safari17'];

/** Builds into a folder, which other processes may be reading: each file appears whole, and the page last. */
export async function buildPage(folder = pageFolder): Promise<Metafile> {
  const { outputFiles, metafile } = await build({
    entryPoints: entries,
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: browsers,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    metafile: true,
    legalComments: 'none',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outdir: folder,
    write: false,
    logLevel: 'error',
  });
  await mkdir(folder, { recursive: true });
  const files = outputFiles.map(({ path, contents }) => ({ name: path.slice(folder.length + 1), contents }));
  const icon = await readFile(join(root, 'lib/ui/icon.svg'));
  const page = await pageOf(files.map(({ name }) => name));
  const written = [...files, { name: 'icon.svg', contents: icon }, { name: 'index.html', contents: Buffer.from(page) }];
  for (const { name, contents } of written) await writeWithForms(folder, name, contents);
  await put(folder, 'metafile.json', Buffer.from(JSON.stringify(metafile)));
  await removeOthers(
    folder,
    written.map(({ name }) => name),
  );
  return metafile;
}

async function pageOf(names: readonly string[]): Promise<string> {
  const page = await readFile(join(root, 'lib/ui/index.html'), 'utf8');
  return page.replaceAll(/\{(\w+)(\.\w+)\}/g, (_whole, entry: string, ending: string) => {
    const found = names.find((name) => name.startsWith(`${entry}-`) && name.endsWith(ending));
    if (found === undefined) throw new Error(`the build has no file ${entry}-*${ending}`);
    return found;
  });
}

const forms = {
  br: (contents: Uint8Array) =>
    promisify(brotliCompress)(contents, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }),
  gz: (contents: Uint8Array) => promisify(gzip)(contents, { level: constants.Z_BEST_COMPRESSION }),
};

/** A compressed form that is not shorter is left out. */
async function writeWithForms(folder: string, name: string, contents: Uint8Array): Promise<void> {
  for (const [ending, compress] of Object.entries(forms)) {
    const compressed = await compress(contents);
    if (compressed.byteLength < contents.byteLength) await put(folder, `${name}.${ending}`, compressed);
  }
  await put(folder, name, contents);
}

async function put(folder: string, name: string, contents: Uint8Array): Promise<void> {
  const draft = join(folder, `.${name}.${process.pid}`);
  await writeFile(draft, contents);
  await rename(draft, join(folder, name));
}

async function removeOthers(folder: string, names: readonly string[]): Promise<void> {
  const kept = new Set(['metafile.json', ...names.flatMap((name) => [name, `${name}.br`, `${name}.gz`])]);
  for (const name of await readdir(folder))
    if (!kept.has(name) && !name.startsWith('.')) await rm(join(folder, name), { force: true });
}

if (import.meta.main) await buildPage();
