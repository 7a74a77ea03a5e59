import { Redis } from 'ioredis';
import { z } from 'zod';
import { openSweeper } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { silentLog } from '#core/log/log.ts';
import { sweepRegularly } from '../../process/sweeping.ts';
import { tableLines } from '../../show/table.ts';
import type { Terminal } from '../../show/terminal.ts';
import { times, until, within } from '../measure/rounds.ts';
import type { Process } from '../processes/process.ts';
import type { Stage } from '../stage.ts';
import { associationsOf, makeBacklog, type Size, secretName, secretsBeyond, types, writeSecret } from './backlog.ts';
import { type Holding, postgresMemory, processMemory, redisMemory } from './memory.ts';
import { progress, type Report } from './progress.ts';

const million: Size = { destinationsPerType: 200, secrets: 1_000 };
const few: Size = { destinationsPerType: 4, secrets: 100 };

const newest = 'second';
const drainMsMax = 3_600_000;
const sweepMs = 1_000;
const kept = z.object({ calls: z.number(), objects: z.number(), old: z.number(), rss: z.number() });

type Workers = readonly Process<unknown>[];

/**
 * A backlog of a million operations: the sync is disabled, every secret changes, and the queue is filled to its capacity and
 * refuses more; then the sync is enabled and the backlog is cleared.
 *
 * @throws Error when the queue held more or less than its capacity, something was called while disabled, or anything was lost
 */
export async function runMillion(stage: Stage, terminal: Terminal, quick: boolean): Promise<void> {
  const size = quick ? few : million;
  const capacity = associationsOf(size);
  const report = progress(terminal);
  const redis = new Redis(stage.redisUrl);
  const began = performance.now();
  const step = (text: string) => {
    const seconds = ((performance.now() - began) / 1_000).toFixed(0).padStart(4);
    terminal.line(`${terminal.styled('dim', `${seconds} s`)}  ${text}`);
  };
  try {
    step(
      `Making associations: ${types.length * size.destinationsPerType} destinations, ${size.secrets} secrets and a few more`,
    );
    await makeBacklog(stage, size, report);
    step(`Disabling the sync, with room for ${capacity} operations`);
    await stage.write('sys/sync/config', { disabled: true, queue_capacity: capacity });
    const workers = await Promise.all(types.map((type) => stage.start('keeper', z.object({}), { type, newest })));
    step(
      `Changing all secrets: ${capacity} operations fit, ${secretsBeyond * size.destinationsPerType * types.length} do not`,
    );
    await changeAll(stage, size, report);
    await mustBeFull(stage, redis, capacity);
    step(`The queue holds ${capacity} operations exactly; setting one more is refused; no destination was called`);
    await mustBe('calls while disabled', await callsOf(workers), 0);
    showMemory(terminal, await memory(stage, redis, workers));
    step('Enabling the sync: the backlog is cleared');
    await drain(stage, redis, size, report);
    await mustBeInLine(stage, workers, capacity + secretsBeyond * size.destinationsPerType * types.length);
    step(
      `All ${capacity} and those that did not fit are in line, in ${await callsOf(workers)} calls; nothing was lost`,
    );
    showMemory(terminal, await memory(stage, redis, workers));
  } finally {
    redis.disconnect();
  }
}

const width = 8;

async function changeAll(stage: Stage, { secrets }: Size, report: Report): Promise<void> {
  let done = 0;
  await times(secrets + secretsBeyond, width, async (index) => {
    await writeSecret(stage, index, newest);
    done += 1;
    report('secrets changed', done, secrets + secretsBeyond);
  });
}

const pendingOf = (redis: Redis): Promise<number> => redis.hlen('{keyferry}:pending');

async function mustBeFull(stage: Stage, redis: Redis, capacity: number): Promise<void> {
  await mustBe('pending operations', await pendingOf(redis), capacity);
  const path = `sys/sync/destinations/${types[0] ?? ''}/million-0/associations/set`;
  await stage.write('secret/data/million/unknown', { data: { value: newest } });
  const refusal = await stage.write(path, { mount: 'secret', secret_name: 'million/unknown' }).catch(String);
  if (!/503.*queue is full/.test(String(refusal))) throw new Error(`a full queue took one more: ${String(refusal)}`);
  await mustBe('pending operations after a refusal', await pendingOf(redis), capacity);
}

async function drain(stage: Stage, redis: Redis, size: Size, report: Report): Promise<void> {
  const endSweep = await sweepRegularly(
    await openSweeper({ config: readConfig(stage.environment), log: silentLog }),
    sweepMs,
    silentLog,
  );
  try {
    const all = associationsOf(size) + secretsBeyond * size.destinationsPerType * types.length;
    await stage.write('sys/sync/config', { disabled: false });
    await within(
      drainMsMax,
      until(async () => {
        await new Promise((resolve) => setTimeout(resolve, 500));
        const left = (await pendingOf(redis)) === 0 ? await outOfDate(stage) : all;
        if (left !== all) report('completed operations', all - left, all);
        else report('completed operations', associationsOf(size) - (await pendingOf(redis)), all);
        return left === 0;
      }),
    );
  } finally {
    await endSweep();
  }
}

async function outOfDate({ database }: Stage): Promise<number> {
  const { rows } = await database.query<{ count: string }>(
    'select count(*) from associations where generation > observed_generation',
  );
  return Number(rows[0]?.count);
}

async function mustBeInLine(stage: Stage, workers: Workers, count: number): Promise<void> {
  const { rows } = await stage.database.query<{ count: string }>(
    `select count(*) from associations where status = 'SYNCED' and secret_name like $1`,
    [`${secretName(0).slice(0, -1)}%`],
  );
  await mustBe('associations that are in line', Number(rows[0]?.count), count);
  const counts = await Promise.all(workers.map((worker) => worker.ask('counts', kept)));
  await mustBe('objects at the destinations', sum(counts.map(({ objects }) => objects)), count);
  await mustBe('objects with an old value', sum(counts.map(({ old }) => old)), 0);
}

async function mustBe(what: string, found: number, expected: number): Promise<void> {
  if (found !== expected) throw new Error(`${what}: ${found}, expected ${expected}`);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const callsOf = async (workers: Workers): Promise<number> =>
  sum((await Promise.all(workers.map((worker) => worker.ask('counts', kept)))).map(({ calls }) => calls));

async function memory(stage: Stage, redis: Redis, workers: Workers): Promise<readonly Holding[]> {
  const held = await Promise.all(workers.map((worker) => worker.ask('counts', kept)));
  return [
    ...(await redisMemory(redis)),
    ...(await postgresMemory(stage)),
    processMemory('API, with this script', process.memoryUsage.rss()),
    ...held.map(({ rss }, index) => processMemory(`worker ${types[index] ?? ''}, with its stand-in`, rss)),
  ];
}

function showMemory(terminal: Terminal, holdings: readonly Holding[]): void {
  const rows = holdings.map(({ what, megabytes }) => [what, megabytes.toFixed(0)]);
  for (const line of tableLines([{ title: 'memory' }, { title: 'MB', align: 'right' }], rows))
    terminal.line(`    ${line}`);
}
