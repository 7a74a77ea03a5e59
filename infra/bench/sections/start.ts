import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { definitions } from '../../../lib/destinations/index.ts';
import { type Bundle, bundleWorker } from '../bundle.ts';
import { type Figure, median } from '../figure.ts';
import { compare } from '../rounds.ts';
import type { Bench, Section } from '../section.ts';

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
    bench.report(`bundled ${types.length} types: no bundle holds the SDK of another type`);
    const figures: Figure[] = [];
    for (const [type, bundle] of bundles) figures.push(...(await figuresOf(bench, type, bundle, bare)));
    return figures;
  },
};

/** @throws Error with what is too much */
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
