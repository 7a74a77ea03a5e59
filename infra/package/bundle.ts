import { build, type Metafile, type StdinOptions } from 'esbuild';

/** A program in one file. */
export interface Bundle {
  readonly file: string;
  readonly bytes: number;
  /** Files that are part of it, with paths from the root of the project. */
  readonly inputs: ReadonlySet<string>;
  /** npm packages that are part of it. */
  readonly packages: ReadonlySet<string>;
  readonly metafile: Metafile;
}

export const root = new URL('../..', import.meta.url).pathname;

/** Optional packages of BullMQ, pg and others, which are not installed. */
const optionalPeers = ['bullmq-otel', 'pg-native', 'redis'];

/** The SDK for traces is loaded only if a collector is configured; a layer of the functions provides it. */
const broughtByLayer = [
  '@opentelemetry/sdk-trace-node',
  '@opentelemetry/core',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
];

/** Functions run at the provider whose key service is `cloud-a-kms`; the clients of the others would only make them larger. */
const otherKeyServices = ['./cloud-b-keys/index.ts', './cloud-c-kms/index.ts'];

/** Bundles a source file, or source text, for Node 24. */
export async function bundle(source: string | StdinOptions, file: string): Promise<Bundle> {
  const { metafile } = await build({
    ...(typeof source === 'string' ? { entryPoints: [source] } : { stdin: { resolveDir: root, ...source } }),
    absWorkingDir: root,
    bundle: true,
    minify: true,
    // Logs contain names of errors and classes.
    keepNames: true,
    metafile: true,
    legalComments: 'none',
    platform: 'node',
    target: 'node24',
    // Some SDKs are CommonJS and call `require`, which ES modules do not have.
    format: 'cjs',
    // CommonJS has no `import.meta.url`, which is used to find the bundle's own files.
    define: { 'import.meta.url': 'moduleUrl' },
    banner: { js: 'const moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
    external: [...optionalPeers, ...broughtByLayer, ...otherKeyServices],
    // `require` finds packages of a layer, `import()` does not.
    supported: { 'dynamic-import': false },
    outfile: file,
    logLevel: 'error',
  });
  const outputs = Object.values(metafile.outputs);
  const bytes = outputs.reduce((sum, output) => sum + output.bytes, 0);
  // `metafile.inputs` also lists files that were read and then dropped as unused.
  const read = outputs.flatMap(({ inputs }) => Object.entries(inputs));
  const inputs = new Set(read.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])));
  return { file, bytes, inputs, packages: packagesAmong(inputs), metafile };
}

const packageOf = (path: string): string | undefined => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];

const packagesAmong = (paths: Iterable<string>): ReadonlySet<string> =>
  new Set([...paths].flatMap((path) => packageOf(path) ?? []));
