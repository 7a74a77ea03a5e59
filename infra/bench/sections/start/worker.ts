import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { definitions } from '#destinations/index.ts';
import { bundle, type Bundle as Program } from '#infra/package/bundle.ts';
import { sdkOf } from '#infra/package/sdk.ts';
import { type Figure, median } from '../../measure/figure.ts';
import { compare } from '../../measure/rounds.ts';
import type { Bench, Section } from '../../section.ts';

const started = z.object({ imported: z.number(), ready: z.number() });
const startMsMax = 30_000;
const megabyte = 1_024 * 1_024;

/** The worker function of each type, bundled as it is deployed: what a cold start costs beyond Node's own. */
export const startSection: Section = {
  name: 'start',
  title: 'Start of a worker function, and its bundle; bare: the same without a driver',
  async measure(bench) {
    const { folder } = bench.stage;
    const bare = await bundleWorker(undefined, folder);
    const types = definitions.map(({ type }) => type);
    const bundles = new Map<string, Bundle>();
    for (const type of types) bundles.set(type, await bundleWorker(type, folder));
    mustHoldOwnSdkOnly(bundles, bare);
    bench.note(`bundled ${types.length} types: no bundle holds the SDK of another type`);
    const figures: Figure[] = [];
    for (const [type, bundle] of bundles) figures.push(...(await figuresOf(bench, type, bundle, bare)));
    return figures;
  },
};

/** @throws Error with the excess */
function mustHoldOwnSdkOnly(bundles: ReadonlyMap<string, Bundle>, bare: Bundle): void {
  for (const [type, { packages, sdk }] of bundles) {
    const others = [...bundles].filter(([other]) => other !== type);
    const foreign = others.flatMap(([, other]) =>
      [...other.sdk].filter((name) => packages.has(name) && !sdk.has(name) && !bare.packages.has(name)),
    );
    if (foreign.length > 0) throw new Error(`the bundle of ${type} holds ${[...new Set(foreign)].join(', ')}`);
  }
}

async function figuresOf(bench: Bench, type: string, bundle: Bundle, bare: Bundle): Promise<readonly Figure[]> {
  const imported: number[] = [];
  const ours = async () => {
    const times = await start(bench, bundle);
    imported.push(times.imported);
    return times.ready;
  };
  const { value, ...compared } = await compare(
    bench.quick ? 3 : 7,
    startMsMax,
    ours,
    async () => (await start(bench, bare)).ready,
  );
  const size = {
    value: bundle.bytes / megabyte,
    compared: { baseline: bare.bytes / megabyte, ratio: bundle.bytes / bare.bytes },
  };
  return [
    { what: `${type}: import to ready`, value, unit: 'ms', compared },
    { what: `${type}: import alone`, value: median(imported), unit: 'ms' },
    { what: `${type}: bundle, minified`, unit: 'MB', ...size },
  ];
}

async function start({ stage }: Bench, bundle: Bundle): Promise<z.output<typeof started>> {
  const { stdout } = await promisify(execFile)(process.execPath, [bundle.file], {
    env: { ...stage.environment },
    timeout: startMsMax,
  });
  return started.parse(JSON.parse(stdout));
}

/** A worker function in one file. */
interface Bundle extends Program {
  /** npm packages that this type brings. */
  readonly sdk: ReadonlySet<string>;
}

/**
 * Bundles the worker of one type, or of none: the composition root and that type's driver. It starts, writes a line of JSON with
 * the milliseconds since Node's own start, and ends.
 */
async function bundleWorker(type: string | undefined, folder: string): Promise<Bundle> {
  const source = { contents: entry(type), sourcefile: 'worker.ts', loader: 'ts' } as const;
  const program = await bundle(source, join(folder, `worker-${type ?? 'none'}.cjs`));
  return { ...program, sdk: await sdkOf(type) };
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
    import { silentLog } from './lib/core/log/log.ts';
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
