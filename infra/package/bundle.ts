import { build, type Metafile, type StdinOptions } from 'esbuild';

/** A program in one file. */
export interface Bundle {
  readonly file: string;
  readonly bytes: number;
  /** Files that are in it, from the root of the project. */
  readonly inputs: ReadonlySet<string>;
  /** npm packages that are in it. */
  readonly packages: ReadonlySet<string>;
}

export const root = new URL('../..', import.meta.url).pathname;

/** Loaded by BullMQ, pg and others only where they are installed; nobody here does. */
const optionalPeers = ['bullmq-otel', 'pg-native', 'redis'];

/** Bundles a source file, or a text of one, for Node 24. */
export async function bundle(source: string | StdinOptions, file: string): Promise<Bundle & { metafile: Metafile }> {
  const { metafile } = await build({
    ...(typeof source === 'string' ? { entryPoints: [source] } : { stdin: { resolveDir: root, ...source } }),
    absWorkingDir: root,
    bundle: true,
    minify: true,
    // Names of errors and classes stand in logs.
    keepNames: process.env["KN"] === "1",
    metafile: true,
    legalComments: 'none',
    platform: 'node',
    target: 'node24',
    // Some SDKs are CommonJS and call `require`, which an ES module has not.
    format: 'cjs',
    // CommonJS has no `import.meta.url`, by which the bundle's own files are found.
    define: { 'import.meta.url': 'moduleUrl' },
    banner: { js: 'const moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
    external: optionalPeers,
    outfile: file,
    logLevel: 'error',
  });
  const inputs = new Set(Object.keys(metafile.inputs));
  return { file, bytes: bytesOf(metafile), inputs, packages: packagesAmong(inputs), metafile };
}

const bytesOf = (metafile: Metafile): number =>
  Object.values(metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0);

export const packageOf = (path: string): string | undefined => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];

const packagesAmong = (paths: Iterable<string>): ReadonlySet<string> =>
  new Set([...paths].flatMap((path) => packageOf(path) ?? []));
