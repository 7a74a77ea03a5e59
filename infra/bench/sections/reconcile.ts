import { z } from 'zod';
import { systemClock } from '#core/clock.ts';
import { silentLog } from '#core/log/log.ts';
import { loadFake } from '#destinations/load.ts';
import { openQueue } from '#queue/open.ts';
import { keysBelow, queueName } from '#queue/parts.ts';
import { type Associations, associate } from '../baseline/associations.ts';
import { besideNoHistory } from '../baseline/history.ts';
import { type BareJobs, openBareJobs } from '../baseline/jobs.ts';
import type { Figure } from '../measure/figure.ts';
import { type Done, versus } from '../measure/meter.ts';
import { until, within } from '../measure/rounds.ts';
import type { Process } from '../processes/process.ts';
import type { Bench, Section } from '../section.ts';

const type = 'deploy-host-project';
const operations = 'Operations reconciled, driver without latency';
const target = { share: 0.8 };
const leastPrefix = '{least}';
const queueOptions = { types: [type], log: silentLog, clock: systemClock };
const limitMs = 120_000;
const counted = z.object({ puts: z.number() });
const ready = z.object({});

/** One worker process that clears a backlog, compared with the bare statements and with a BullMQ worker that does nothing. */
export const reconcileSection: Section = {
  name: 'reconcile',
  title: 'Reconciling a backlog with one worker process',
  async measure(bench) {
    const fake = await (await loadFake(type))();
    try {
      return [...(await standIn(bench, fake.destination)), ...(await realDriver(bench, fake.destination))];
    } finally {
      await fake.close();
    }
  },
};

async function standIn(bench: Bench, destination: object): Promise<readonly Figure[]> {
  const { stage, quick } = bench;
  const [destinations, secrets, rounds] = quick ? [4, 500, 1] : [8, 1_000, 5];
  bench.report(`making ${destinations * secrets} associations`);
  const name = 'backlog';
  const associations = await associate(stage, { type, destination, name, destinations, secrets });
  // Runs beside ours, with its own queue, so that the two can be measured alternately.
  const least = await openQueue({ ...queueOptions, redisUrl: stage.redisUrl, prefix: leastPrefix });
  const { pending } = keysBelow(leastPrefix);
  const [worker, leastWorker, bareWorker] = await Promise.all([
    stage.start('worker', ready, { type, driver: 'stand-in' }),
    stage.start('bare-sync', ready, { queueName: queueName(type), prefix: leastPrefix, pending }),
    stage.start('bare-worker', ready),
  ]);
  const bareJobs = openBareJobs(stage.redisUrl);
  try {
    const ours = { process: worker, work: () => workOff(associations, worker) };
    const leastWork = { process: leastWorker, work: () => workOff({ ...associations, queue: least }, undefined) };
    const bare = { process: bareWorker, work: () => workOffBare(bareJobs, associations.count) };
    // The first round pushes what creating the associations left behind, and warms up the compilers.
    for (const side of [ours, leastWork, bare]) await within(limitMs, side.work());
    bench.report('working off');
    const [besideLeast, besideBare] = [
      'bare statements: claimed, read, written back, nothing else',
      'bare BullMQ worker',
    ];
    return [
      ...(await versus({ what: `${operations}; ${besideLeast}`, rounds, limitMs, ours, bare: leastWork, target })),
      ...(await versus({ what: `  the same; ${besideBare} that does nothing`, rounds, limitMs, ours, bare })),
      ...(await besideNoHistory(stage, { rounds: 2 * rounds, limitMs, ours })),
    ];
  } finally {
    const ends = [worker, leastWorker, bareWorker].map((process) => process.end());
    await Promise.all([...ends, bareJobs.close(), least.close(), associations.close()]);
  }
}

/** One object per association, over real HTTP. It has no bare counterpart. */
async function realDriver(bench: Bench, destination: object): Promise<readonly Figure[]> {
  const associations = await associate(bench.stage, { type, destination, name: 'real', destinations: 1, secrets: 200 });
  const worker = await bench.stage.start('worker', ready, { type, driver: 'real' });
  try {
    await within(limitMs, workOff(associations, undefined));
    const before = await worker.cpuMs();
    const { perSecond, count } = await within(limitMs, workOff(associations, undefined));
    const each = ((await worker.cpuMs()) - before) / count;
    return [
      {
        what: 'Operations reconciled, real driver and stand-in server of a deployment host',
        value: perSecond,
        unit: '1/s',
      },
      { what: '  processor time of the process, each', value: each, unit: 'ms' },
    ];
  } finally {
    await Promise.all([worker.end(), associations.close()]);
  }
}

/** @throws Error when the driver was called less often than there are operations */
async function workOff(
  { queue, change, outOfDate, count }: Associations,
  worker: Process<unknown> | undefined,
): Promise<Done> {
  await queue.pause();
  await queue.enqueue(await change(), count);
  const before = await worker?.ask('count', counted);
  const began = performance.now();
  await queue.resume();
  await until(async () => (await queue.pendingCount()) === 0);
  const tookMs = performance.now() - began;
  const after = await worker?.ask('count', counted);
  const left = await outOfDate();
  if (left > 0) throw new Error(`${left} of ${count} operations were removed from the queue and not done`);
  const puts = (after?.puts ?? count) - (before?.puts ?? 0);
  if (puts < count) throw new Error(`${count} operations caused only ${puts} puts`);
  return { count, perSecond: (count * 1_000) / tookMs };
}

async function workOffBare(jobs: BareJobs, count: number): Promise<Done> {
  await jobs.pause();
  await jobs.add(count);
  const began = performance.now();
  await jobs.resume();
  await until(async () => (await jobs.left()) === 0);
  return { count, perSecond: (count * 1_000) / (performance.now() - began) };
}
