import { z } from 'zod';
import type { Figure } from './figure.ts';
import { type Done, versus } from './meter.ts';
import type { Process } from './process.ts';
import type { Bench } from './section.ts';

/** What a process that serves HTTP says when it is ready. */
export const addressed = z.object({ address: z.string() });
export type Server = Process<z.output<typeof addressed>>;

const loaded = z.object({ perSecond: z.number(), count: z.number(), failed: z.number() });

/** Numbered secrets, and rows of the bare server, that are read and written. */
export const secretCount = 1_000;
const connections = 32;
const limitMs = 60_000;

/** A server and how it is asked: method, path before the number, headers, body. */
export interface Loaded {
  readonly server: Server;
  readonly load: object;
}

/** How fast our server answers, and the bare one with one statement each; the target is half as fast. */
export async function againstBare(
  bench: Bench,
  { what, ours, bare }: { readonly what: string; readonly ours: Loaded; readonly bare: Loaded },
): Promise<readonly Figure[]> {
  const [rounds, seconds] = bench.quick ? [1, 2] : [3, 4];
  const [ourLoad, bareLoad] = [await startLoad(bench, ours), await startLoad(bench, bare)];
  try {
    // The first requests prepare statements and warm the compiler.
    for (const load of [ourLoad, bareLoad]) await run(load, 1);
    bench.report(what);
    return await versus({
      ...{ what, rounds, limitMs, target: { share: 0.5 } },
      ours: { process: ours.server, work: () => run(ourLoad, seconds) },
      bare: { process: bare.server, work: () => run(bareLoad, seconds) },
    });
  } finally {
    await Promise.all([ourLoad.end(), bareLoad.end()]);
  }
}

function startLoad({ stage }: Bench, { server, load }: Loaded): Promise<Process<unknown>> {
  const { address } = server.ready;
  return stage.start('load', z.object({}), { address, connections, count: secretCount, ...load });
}

/** @throws Error when a request was not answered well: a fast refusal is no throughput */
async function run(load: Process<unknown>, seconds: number): Promise<Done> {
  const { failed, ...done } = await load.ask(String(seconds), loaded);
  if (failed > 0) throw new Error(`${failed} requests failed`);
  return done;
}
