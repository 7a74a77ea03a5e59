import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildPage } from '../ui/build.ts';
import { type Bundle, bundle, root } from './bundle.ts';
import { sdkOf } from './sdk.ts';
import { zip } from './zip.ts';

/** A deployed function. */
export interface PackagedFunction extends Bundle {
  readonly name: string;
  /** The destination type of a worker; undefined for other functions. */
  readonly type: string | undefined;
  readonly zipFile: string;
  readonly zipBytes: number;
  /** npm packages that this type needs. */
  readonly sdk: ReadonlySet<string>;
}

/** The folder in which `serverless.yml` expects the packages. */
export const functionsFolder = join(root, '.build/functions');

/** The platform looks for `handler` in the file `index`. */
const entryFile = 'index.cjs';

/** Bundles and packs each function of `functions/`. Two runs on the same sources produce the same bytes. */
export async function packageFunctions(folder = functionsFolder): Promise<readonly PackagedFunction[]> {
  const sources = (await readdir(join(root, 'functions'))).filter((file) => file.endsWith('.ts')).toSorted();
  await rm(folder, { recursive: true, force: true });
  const packaged: PackagedFunction[] = [];
  for (const source of sources) packaged.push(await packageFunction(source.replace(/\.ts$/, ''), folder));
  return packaged;
}

/** The processor architecture of the platform. */
const platforms = ['linux-x64', 'linux-arm64'];

/** bcrypt looks for its native code in the folder of its own file. */
async function nativeCode({ packages }: Bundle): Promise<Readonly<Record<string, Uint8Array>>> {
  if (!packages.has('bcrypt')) return {};
  const files = platforms.map((platform) => `prebuilds/${platform}/bcrypt.glibc.node`);
  const read = files.map(async (file) => [file, await readFile(join(root, 'node_modules/bcrypt', file))] as const);
  return Object.fromEntries(await Promise.all(read));
}

/** The files of the web page, beside the bundle that serves it. */
async function pageFiles({ inputs }: Bundle, folder: string): Promise<Readonly<Record<string, Uint8Array>>> {
  if (!inputs.has('lib/app/ui/files.ts')) return {};
  await buildPage(folder);
  const names = (await readdir(folder)).filter((name) => name !== 'metafile.json').toSorted();
  const read = names.map(async (name) => [`ui/${name}`, await readFile(join(folder, name))] as const);
  return Object.fromEntries(await Promise.all(read));
}

async function packageFunction(name: string, folder: string): Promise<PackagedFunction> {
  const type = /^sync-(.+)$/.exec(name)?.[1];
  await mkdir(join(folder, name), { recursive: true });
  const bundled = await bundle(`functions/${name}.ts`, join(folder, name, entryFile));
  const zipFile = join(folder, `${name}.zip`);
  const others = { ...(await nativeCode(bundled)), ...(await pageFiles(bundled, join(folder, name, 'ui'))) };
  const packed = zip({ [entryFile]: await readFile(bundled.file), ...others });
  await writeFile(zipFile, packed);
  return { ...bundled, name, type, zipFile, zipBytes: packed.byteLength, sdk: await sdkOf(type) };
}
