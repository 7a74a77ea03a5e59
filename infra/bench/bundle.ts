import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';

/** A worker function in one file. */
export interface Bundle {
  readonly file: string;
  readonly bytes: number;
  /** npm packages that are in it. */
  readonly packages: ReadonlySet<string>;
  /** Packages that files below `lib/destinations/<type>/` import themselves. */
  readonly sdk: ReadonlySet<string>;
}

const root = new URL('../..', import.meta.url).pathname;

/** Loaded by BullMQ, pg and others only where they are installed; nobody here does. */
const optionalPeers = ['bullmq-otel', 'pg-native', 'redis'];

/**
 * Bundles the worker of one type, or of none: the composition root and that type's driver. It starts, tells by one line of
 * JSON how long that took in milliseconds since Node's own start, and ends.
 */
export async function bundleWorker(type: string | undefined, folder: string): Promise<Bundle> {
  const file = join(folder, `worker-${type ?? 'none'}.cjs`);
  const { metafile } = await build({
    stdin: { contents: entry(type), resolveDir: root, sourcefile: 'worker.ts', loader: 'ts' },
    bundle: true,
    minify: true,
    metafile: true,
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
  return { file, bytes: bytesOf(metafile), packages: packagesOf(metafile), sdk: sdkOf(metafile, type) };
}

function entry(type: string | undefined): string {
  const driver =
    type === undefined
      ? ''
      : `import { definition } from './lib/destinations/${type}/index.ts';
         import { openDriver } from './lib/destinations/${type}/driver.ts';`;
  return `
    import { openWorkers } from './lib/app.ts';
    import { readConfig } from './lib/core/config.ts';
    import { silentLog } from './lib/core/log.ts';
    ${driver}
    const { bootstrapComplete } = performance.nodeTiming;
    const imported = performance.now() - bootstrapComplete;
    async function start() {
      const destinations = [${type === undefined ? '' : '{ definition, openDriver }'}];
      await openWorkers({ config: readConfig(), log: silentLog }, destinations);
      const ready = performance.now() - bootstrapComplete;
      process.stdout.write(JSON.stringify({ imported, ready }) + '\\n', () => process.exit(0));
    }
    void start();`;
}

const bytesOf = (metafile: Metafile): number =>
  Object.values(metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0);

const packageOf = (path: string): string | undefined => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];

function packagesOf(metafile: Metafile): ReadonlySet<string> {
  return new Set(Object.keys(metafile.inputs).flatMap((path) => packageOf(path) ?? []));
}

function sdkOf(metafile: Metafile, type: string | undefined): ReadonlySet<string> {
  const own = Object.entries(metafile.inputs).filter(([path]) => path.startsWith(`lib/destinations/${type}/`));
  return new Set(own.flatMap(([, input]) => input.imports.flatMap(({ path }) => packageOf(path) ?? [])));
}
