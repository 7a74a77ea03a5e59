import { build, type Metafile, type StdinOptions } from 'esbuild';

/** A program in one file. */
export interface Bundle {
  readonly file: string;
  readonly bytes: number;
  /** Files that something of is in it, from the root of the project. */
  readonly inputs: ReadonlySet<string>;
  /** npm packages that something of is in it. */
  readonly packages: ReadonlySet<string>;
  readonly metafile: Metafile;
}

export const root = new URL('../..', import.meta.url).pathname;

/** Loaded by BullMQ, pg and others only where they are installed; nobody here does. */
const optionalPeers = ['bullmq-otel', 'pg-native', 'redis'];

/** The SDK for traces is loaded where a collector is configured; a layer of the functions brings it there. */
const broughtByLayer = [
  '@opentelemetry/sdk-trace-node',
  '@opentelemetry/core',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
];

/** Functions run at the provider whose key service is `cloud-a-kms`; the clients of the others would only make them larger. */
const otherKeyServices = ['./cloud-b-keys/index.ts', './cloud-c-kms/index.ts'];

/** Bundles a source file, or a text of one, for Node 24. */
export async function bundle(source: string | StdinOptions, file: string): Promise<Bundle> {
  const { metafile } = await build({
    ...(typeof source === 'string' ? { entryPoints: [source] } : { stdin: { resolveDir: root, ...source } }),
    absWorkingDir: root,
    bundle: true,
    minify: true,
    // Names of errors and classes stand in logs.
    keepNames: true,
    metafile: true,
    legalComments: 'none',
    platform: 'node',
    target: 'node24',
    // Some SDKs are CommonJS and call `require`, which an ES module has not.
    format: 'cjs',
    // CommonJS has no `import.meta.url`, by which the bundle's own files are found.
    define: { 'import.meta.url': 'moduleUrl' },
    banner: { js: 'const moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
    external: [...optionalPeers, ...broughtByLayer, ...otherKeyServices],
    // Packages of a layer are found by `require`, and not by `import()`.
    supported: { 'dynamic-import': false },
    outfile: file,
    logLevel: 'error',
  });
  const outputs = Object.values(metafile.outputs);
  const bytes = outputs.reduce((sum, output) => sum + output.bytes, 0);
  // What was read and of which nothing is used is among `metafile.inputs`, but not in the bundle.
  const read = outputs.flatMap(({ inputs }) => Object.entries(inputs));
  const inputs = new Set(read.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])));
  return { file, bytes, inputs, packages: packagesAmong(inputs), metafile };
}

const packageOf = (path: string): string | undefined => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];

const packagesAmong = (paths: Iterable<string>): ReadonlySet<string> =>
  new Set([...paths].flatMap((path) => packageOf(path) ?? []));
