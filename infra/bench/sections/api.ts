import { z } from 'zod';
import { fillBareRows } from '../baseline/rows.ts';
import type { Figure } from '../figure.ts';
import type { Process } from '../process.ts';
import { compare, times } from '../rounds.ts';
import type { Bench, Section } from '../section.ts';

const addressed = z.object({ address: z.string() });
const loaded = z.object({ perSecond: z.number(), failed: z.number(), p50: z.number(), p99: z.number() });

const connections = 32;
const secretCount = 1_000;
const data = { user: 'app', password: 'correct horse battery staple' };

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
      return [
        await reads(bench, api.ready.address, bare.ready.address),
        await writes(bench, api.ready.address, bare.ready.address),
      ];
    } finally {
      await Promise.all([api.end(), bare.end()]);
    }
  },
};

async function reads(bench: Bench, api: string, bare: string): Promise<Figure> {
  const ours = { method: 'GET', address: api, path: '/v1/secret/data/bench/', headers: tokenOf(bench) };
  const baseline = { method: 'GET', address: bare, path: '/read/bench/', headers: {} };
  return versus(bench, 'KV v2 reads; bare Fastify: one SELECT', ours, baseline);
}

async function writes(bench: Bench, api: string, bare: string): Promise<Figure> {
  const json = { 'content-type': 'application/json' };
  const ours = {
    path: '/v1/secret/data/bench/',
    headers: { ...json, ...tokenOf(bench) },
    body: JSON.stringify({ data }),
  };
  const baseline = { path: '/write/bench/', headers: json, body: JSON.stringify(data) };
  const post = { method: 'POST' };
  return versus(
    bench,
    'KV v2 writes; bare Fastify: one INSERT',
    { ...post, ...ours, address: api },
    { ...post, ...baseline, address: bare },
  );
}

async function versus(bench: Bench, what: string, ours: object, baseline: object): Promise<Figure> {
  const [rounds, seconds] = bench.quick ? [1, 2] : [3, 4];
  const common = { count: secretCount, connections };
  const loads = [
    await bench.stage.start('load', z.object({}), { ...common, ...ours }),
    await bench.stage.start('load', z.object({}), { ...common, ...baseline }),
  ] as const;
  try {
    // The first requests prepare statements and warm the compiler.
    for (const load of loads) await run(load, 1);
    bench.tell(what);
    const { value, ...compared } = await compare(
      rounds,
      60_000,
      () => run(loads[0], seconds),
      () => run(loads[1], seconds),
    );
    return { what, value, unit: '1/s', compared, target: { share: 0.5 } };
  } finally {
    for (const load of loads) await load.end();
  }
}

/** @throws Error when a request was not answered well: a fast refusal is no throughput */
async function run(load: Process<unknown>, seconds: number): Promise<number> {
  const { perSecond, failed } = await load.ask(String(seconds), loaded);
  if (failed > 0) throw new Error(`${failed} requests failed`);
  return perSecond;
}

const tokenOf = ({ stage }: Bench) => ({ 'x-service-token': stage.rootToken });
