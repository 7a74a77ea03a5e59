import { z } from 'zod';
import type { Figure } from '../measure/figure.ts';
import { type Done, versus } from '../measure/meter.ts';
import type { Process } from '../processes/process.ts';
import type { Bench } from '../section.ts';

export const addressed = z.object({ address: z.string() });
const loaded = z.object({ perSecond: z.number(), count: z.number(), failed: z.number() });

const connections = 32;
const limitMs = 60_000;

export type Server = Process<z.output<typeof addressed>>;

export interface Loaded {
  readonly server: Server;
  readonly load: object;
}

export interface HttpComparison {
  readonly what: string;
  /** How many different numbers the load appends to the path. The server ignores them in the value of the parameter `scan`. */
  readonly count: number;
  /** Of the bare server's throughput; half of it unless given. */
  readonly share?: number;
  readonly ours: Loaded;
  readonly bare: Loaded;
}

/** Our server and a bare one under the same load, alternately. @throws Error when a request fails */
export async function measureHttp(
  bench: Bench,
  { what, count, share = 0.5, ours, bare }: HttpComparison,
): Promise<readonly Figure[]> {
  const [rounds, seconds] = bench.quick ? [1, 2] : [3, 4];
  const [ourLoad, bareLoad] = [await startLoad(bench, ours, count), await startLoad(bench, bare, count)];
  try {
    // The first requests prepare statements and warm up the compiler.
    for (const load of [ourLoad, bareLoad]) await run(load, 1);
    bench.report(what);
    return await versus({
      what,
      rounds,
      limitMs,
      target: { share },
      ours: { process: ours.server, work: () => run(ourLoad, seconds) },
      bare: { process: bare.server, work: () => run(bareLoad, seconds) },
    });
  } finally {
    await Promise.all([ourLoad.end(), bareLoad.end()]);
  }
}

function startLoad({ stage }: Bench, { server, load }: Loaded, count: number): Promise<Process<unknown>> {
  const { address } = server.ready;
  return stage.start('load', z.object({}), { address, connections, count, ...load });
}

/** @throws Error when a request failed: fast refusals are not throughput */
async function run(load: Process<unknown>, seconds: number): Promise<Done> {
  const { failed, ...done } = await load.ask(String(seconds), loaded);
  if (failed > 0) throw new Error(`${failed} requests failed`);
  return done;
}
