import { z } from 'zod';
import { fillBareRows } from '../baseline/rows.ts';
import type { Figure } from '../figure.ts';
import { type Done, versus } from '../meter.ts';
import type { Process } from '../process.ts';
import { times } from '../rounds.ts';
import type { Bench, Section } from '../section.ts';

const addressed = z.object({ address: z.string() });
const loaded = z.object({ perSecond: z.number(), count: z.number(), failed: z.number() });

const connections = 32;
const secretCount = 1_000;
const limitMs = 60_000;
const data = { user: 'app', password: 'correct horse battery staple' };
const json = { 'content-type': 'application/json' };

type Server = Process<z.output<typeof addressed>>;

/** KV v2 through the real server against a bare route with one statement, on one PostgreSQL that syncs each commit. */
export const apiSection: Section = {
  name: 'api',
  title: 'Reads and writes of secrets over HTTP',
  async measure(bench) {
    const { stage } = bench;
    await times(secretCount, 32, (index) => stage.write(`secret/data/bench/${index}`, { data }));
    await fillBareRows(stage.database, secretCount, JSON.stringify(data));
    const api = await stage.start('api', addressed);
    const bare = await stage.start('bare-api', addressed, { poolSize: 10 });
    try {
      return [...(await reads(bench, api, bare)), ...(await writes(bench, api, bare))];
    } finally {
      await Promise.all([api.end(), bare.end()]);
    }
  },
};

function reads(bench: Bench, api: Server, bare: Server): Promise<readonly Figure[]> {
  const ours = { path: '/v1/secret/data/bench/', headers: tokenOf(bench) };
  return measure(bench, {
    what: 'KV v2 reads; bare Fastify: one SELECT',
    ours: { server: api, load: { method: 'GET', ...ours } },
    bare: { server: bare, load: { method: 'GET', path: '/read/bench/', headers: {} } },
  });
}

function writes(bench: Bench, api: Server, bare: Server): Promise<readonly Figure[]> {
  const path = '/v1/secret/data/bench/';
  const headers = { ...json, ...tokenOf(bench) };
  return measure(bench, {
    what: 'KV v2 writes; bare Fastify: one INSERT',
    ours: { server: api, load: { method: 'POST', path, headers, body: JSON.stringify({ data }) } },
    bare: { server: bare, load: { method: 'POST', path: '/write/bench/', headers: json, body: JSON.stringify(data) } },
  });
}

interface Loaded {
  readonly server: Server;
  readonly load: object;
}

async function measure(
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

const tokenOf = ({ stage }: Bench) => ({ 'x-service-token': stage.rootToken });
