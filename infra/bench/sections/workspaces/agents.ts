import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { type Figure, percentile } from '../../measure/figure.ts';
import { addressed, type Server } from '../../measure/http-load.ts';
import { times, until, within } from '../../measure/rounds.ts';
import type { Bench, Section } from '../../section.ts';
import { registerIdleAgents, startAgents, type Where } from '../../workspaces/agents.ts';
import { logBytesFile, makeStandIn, type StandIn } from '../../workspaces/engine.ts';
import { fillRunnable, type Runnable } from '../../workspaces/runs.ts';

const workspaceCount = 100;
const agentCount = 10;
const megabyte = 1_048_576;
const limitMs = 300_000;
/** Maximum values: from the request for a run to its engine, growth of memory, and processor time of idle agents. */
const targets = { overheadMs: 1_000, megabytes: 100, idlePercent: 1 };

/** Runs by agents with a program that stands in for the engine. */
export const agentsSection: Section = {
  name: 'agents',
  title: `Runs by agents: one at a time, ${workspaceCount} for ${agentCount} agents, a long log, agents without work`,
  async measure(bench) {
    const { stage } = bench;
    const api = await stage.start('api', addressed);
    try {
      const { address } = api.ready;
      bench.report('workspaces and their configurations');
      const runs = await fillRunnable(stage, address, workspaceCount);
      const engine = await makeStandIn(stage.folder);
      const where = { address, token: runs.token };
      const executing = { ...{ bench, api, runs, engine, where } };
      return [
        ...(await withAgents(executing, 1, () => overhead(executing))),
        ...(await withAgents(executing, agentCount, () => many(executing))),
        ...(await withAgents(executing, 1, () => longLog(executing))),
        await idle(bench, api, where),
      ];
    } finally {
      await api.end();
    }
  },
};

interface Executing {
  readonly bench: Bench;
  readonly api: Server;
  readonly runs: Runnable;
  readonly engine: StandIn;
  readonly where: Where;
}

async function withAgents<T>({ bench, engine, where }: Executing, count: number, work: () => Promise<T>): Promise<T> {
  const agents = await startAgents(where, { count, engine: engine.folder, parent: bench.stage.folder });
  return within(limitMs, work()).finally(() => agents.end());
}

const lookMs = 25;

const hasEnded = async (runs: Runnable, run: string): Promise<boolean> => {
  await delay(lookMs);
  const status = await runs.status(run);
  if (status === 'errored') throw new Error(`the run ${run} has failed`);
  return status === 'planned_and_finished';
};

/** One run after another, while the agent waits. */
async function overhead({ bench, runs, engine }: Executing): Promise<readonly Figure[]> {
  const count = bench.quick ? 10 : 40;
  const asked = new Map<string, number>();
  bench.report(`${count} runs, one after another`);
  for (const workspace of runs.workspaces.slice(0, count)) {
    const at = Date.now();
    const run = await runs.queue(workspace);
    asked.set(run, at);
    await until(() => hasEnded(runs, run));
  }
  const begun = await engine.begun();
  const taken = [...asked].map(([run, at]) => (begun.get(run)?.[0] ?? Number.POSITIVE_INFINITY) - at);
  const value = percentile(taken, 0.95);
  return [
    {
      what: 'A run, from its request until its engine begins, p95',
      value,
      unit: 'ms',
      target: { bound: targets.overheadMs },
    },
  ];
}

/** All runs are queued at once. */
async function many({ bench, runs, engine }: Executing): Promise<readonly Figure[]> {
  bench.report(`${workspaceCount} runs by ${agentCount} agents`);
  const began = performance.now();
  const queued: string[] = [];
  await times(workspaceCount, 16, async (at) => void queued.push(await runs.queue(runs.workspaces[at] ?? '')));
  for (const run of queued) await until(() => hasEnded(runs, run));
  const seconds = (performance.now() - began) / 1_000;
  const begun = await engine.begun();
  const wrong = queued.filter((run) => begun.get(run)?.length !== 1).length;
  return [
    { what: `${workspaceCount} runs by ${agentCount} agents`, value: workspaceCount / seconds, unit: '1/s' },
    { what: ' of them begun never or twice', value: wrong, unit: '', target: { bound: 0 } },
  ];
}

/** The agent runs in the process of the bench. */
async function longLog({ bench, api, runs }: Executing): Promise<readonly Figure[]> {
  const megabytes = bench.quick ? 10 : 50;
  const [workspace = ''] = runs.workspaces;
  await runs.configure(workspace, { 'main.tf': '', [logBytesFile]: String(megabytes * megabyte) });
  bench.report(`a log of ${megabytes} MB`);
  const memory = async () => [(await api.memory()).rss, process.memoryUsage.rss()] as const;
  const [apiBefore, agentBefore] = await memory();
  let [apiMost, agentMost] = [apiBefore, agentBefore];
  const began = performance.now();
  const run = await runs.queue(workspace);
  await until(async () => {
    const [ofApi, ofAgent] = await memory();
    [apiMost, agentMost] = [Math.max(apiMost, ofApi), Math.max(agentMost, ofAgent)];
    return hasEnded(runs, run);
  });
  const seconds = (performance.now() - began) / 1_000;
  const bytes = await runs.logBytes(run);
  if (bytes < megabytes * megabyte) throw new Error(`the log has ${bytes} bytes only`);
  const grown = (what: string, value: number): Figure => ({
    what,
    value: value / megabyte,
    unit: 'MB',
    target: { bound: targets.megabytes },
  });
  return [
    { what: `A log of ${megabytes} MB`, value: megabytes / seconds, unit: 'MB/s' },
    grown(' memory growth of the API meanwhile', apiMost - apiBefore),
    grown(' memory growth of the agent meanwhile', agentMost - agentBefore),
  ];
}

/** The shortest wait of a request for work, in seconds: an idle agent asks once in this time. */
const askEverySeconds = 540;
/** Waits during which the requests themselves are measured, in seconds: the interval at which requests that wait get a byte. */
const shortSeconds = 45;
/** How long is measured: a whole number of those. */
const waitSeconds = 90;
/** Until the requests of all agents wait as they are to, and have got their first byte. Then garbage of before is collected, in seconds. */
const beginSeconds = 50;
/** After that collection: code that it has discarded is compiled again, in seconds. */
const settleSeconds = 45;

const loaded = z.object({ perSecond: z.number(), count: z.number(), failed: z.number() });

/** Processor time of the API for agents without work, as a share of what it uses for KV reads at full load. */
async function idle(bench: Bench, api: Server, where: Where): Promise<Figure> {
  const { stage, quick } = bench;
  const count = quick ? 100 : 1_000;
  const loadSeconds = quick ? 2 : 5;
  await stage.write('secret/data/agents/0', { data: { a: 'b' } });
  const load = await stage.start('load', z.object({}), {
    ...{ address: where.address, connections: 32, count: 1, method: 'GET', path: '/v1/secret/data/agents/' },
    headers: { 'x-service-token': stage.rootToken },
  });
  const usage = async (work: () => Promise<unknown>): Promise<number> => {
    const [cpu, began] = [await api.cpuMs(), performance.now()];
    await work();
    return ((await api.cpuMs()) - cpu) / (performance.now() - began);
  };
  const atRest = async () => {
    await api.collectGarbage();
    await delay(settleSeconds * 1_000);
    return usage(() => delay(waitSeconds * 1_000));
  };
  try {
    bench.report(`${count} agents without work`);
    const ask = (seconds: number) => load.ask(String(seconds), loaded);
    await ask(1);
    let perSecond = 0;
    const reading = await usage(async () => ({ perSecond } = await ask(loadSeconds)));
    const agents = await registerIdleAgents(where, count);
    const alone = await atRest();
    const waitFor = async (seconds: number | undefined): Promise<number> => {
      agents.waitFor(seconds);
      await delay(beginSeconds * 1_000);
      return atRest();
    };
    try {
      const asking = await waitFor(shortSeconds);
      const waiting = await waitFor(undefined);
      const requests = (Math.max(0, asking - waiting) * shortSeconds) / askEverySeconds;
      const used = Math.max(0, waiting - alone) + requests;
      bench.note(
        `KV reads at full load: ${Math.round(perSecond)} per second, with ${percentOf(reading)} of a core; the API alone ` +
          `${percentOf(alone)}, with ${count} agents that wait ${percentOf(waiting)}, and with those that ask every ` +
          `${shortSeconds} s ${percentOf(asking)}`,
      );
      return {
        what: `${count} agents without work: processor time, of that of KV reads at full load`,
        value: (used / reading) * 100,
        unit: '%',
        target: { bound: targets.idlePercent },
      };
    } finally {
      await agents.end();
    }
  } finally {
    await load.end();
  }
}

const percentOf = (share: number): string => `${(share * 100).toFixed(2)} %`;
