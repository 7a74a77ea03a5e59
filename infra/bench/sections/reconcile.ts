import { z } from 'zod';
import { loadFake } from '../../../lib/destinations/load.ts';
import { keysBelow, queueName, usualPrefix } from '../../../lib/queue/parts.ts';
import { type Associations, associate } from '../associations.ts';
import { type BareJobs, openBareJobs } from '../baseline/jobs.ts';
import type { Figure } from '../figure.ts';
import { type Done, type Versus, versus } from '../meter.ts';
import type { Process } from '../process.ts';
import { until, within } from '../rounds.ts';
import type { Bench, Section } from '../section.ts';

const type = 'deploy-host-project';
const limitMs = 120_000;
const counted = z.object({ puts: z.number() });
const ready = z.object({});

/** One worker process working off a backlog, against a BullMQ worker that does nothing with as many jobs. */
export const reconcileSection: Section = {
  name: 'reconcile',
  title: 'Reconciling a backlog with one worker process',
  async measure(bench) {
    const fake = await (await loadFake(type))();
    try {
      return [...(await standIn(bench, fake.destination)), await realDriver(bench, fake.destination)];
    } finally {
      await fake.close();
    }
  },
};

async function standIn(bench: Bench, destination: object): Promise<readonly Figure[]> {
  const { stage, quick } = bench;
  const [destinations, secrets, rounds] = quick ? [4, 500, 1] : [8, 1_000, 3];
  bench.report(`making ${destinations * secrets} associations`);
  const name = 'backlog';
  const associations = await associate(stage, { type, destination, name, destinations, secrets });
  const worker = await stage.start('worker', ready, { type, driver: 'stand-in' });
  const bareWorker = await stage.start('bare-worker', ready);
  const bareJobs = openBareJobs(stage.redisUrl);
  try {
    const ours = { process: worker, work: () => workOff(associations, worker) };
    const bare = { process: bareWorker, work: () => workOffBare(bareJobs, associations.count) };
    // The first round pushes what the making of the associations left, and warms the compiler of both.
    await within(limitMs, ours.work());
    await within(limitMs, bare.work());
    bench.report('working off');
    const what = '  bare BullMQ worker that does nothing';
    const figures = await versus({ what, rounds, limitMs, ours, bare });
    await worker.end();
    const least = await leastWork(bench, associations, { rounds, bare });
    return [ofLeast(figures[0], least[0]), ...figures, ...least];
  } finally {
    await Promise.all([worker.end(), bareWorker.end(), bareJobs.close(), associations.close()]);
  }
}

/** How much of the bare worker's pace is left when only the rows are claimed, read and written back. */
async function leastWork(
  { stage }: Bench,
  associations: Associations,
  { rounds, bare }: Pick<Versus, 'rounds' | 'bare'>,
): Promise<readonly Figure[]> {
  const { pending } = keysBelow(usualPrefix);
  const parameters = { queueName: queueName(type), prefix: usualPrefix, pending };
  const least = await stage.start('bare-sync', ready, parameters);
  try {
    const ours = { process: least, work: () => workOff(associations, undefined) };
    await within(limitMs, ours.work());
    const what = '  bare statements; bare BullMQ worker that does nothing';
    return await versus({ what, rounds, limitMs, ours, bare });
  } finally {
    await least.end();
  }
}

/**
 * Our pace beside that of the bare statements. Both take from the same queue, so they are measured one after the other, each
 * beside the worker that does nothing: what the machine does meanwhile is in both ratios, and not in that of the two.
 */
function ofLeast(ours: Figure | undefined, least: Figure | undefined): Figure {
  if (ours?.compared === undefined || least?.compared === undefined) throw new Error('there is nothing to compare');
  return {
    what: 'Operations reconciled, driver without latency; bare statements: claimed, read, written back, nothing else',
    value: ours.value,
    unit: '1/s',
    compared: { baseline: least.value, ratio: ours.compared.ratio / least.compared.ratio },
    target: { share: 0.8 },
  };
}

/** One object per association, over real HTTP. There is nothing bare to compare it with. */
async function realDriver(bench: Bench, destination: object): Promise<Figure> {
  const associations = await associate(bench.stage, { type, destination, name: 'real', destinations: 1, secrets: 200 });
  const worker = await bench.stage.start('worker', ready, { type, driver: 'real' });
  try {
    await within(limitMs, workOff(associations, undefined));
    const { perSecond: value } = await within(limitMs, workOff(associations, undefined));
    return { what: 'Operations reconciled, real driver and stand-in server of a deployment host', value, unit: '1/s' };
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
  if (left > 0) throw new Error(`${left} of ${count} operations were taken off and not done`);
  const puts = (after?.puts ?? count) - (before?.puts ?? 0);
  if (puts < count) throw new Error(`${count} operations came to ${puts} puts only`);
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
