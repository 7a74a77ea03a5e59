import { Redis } from 'ioredis';
import { systemClock } from '#core/clock.ts';
import { silentLog } from '#core/log/log.ts';
import { definitions } from '#destinations/index.ts';
import type { Operation } from '#queue/contract.ts';
import { openQueue } from '#queue/open.ts';
import { openBareJobs } from '../baseline/jobs.ts';
import type { Figure } from '../measure/figure.ts';
import { compare } from '../measure/rounds.ts';
import type { Bench, Section } from '../section.ts';

const kilobyte = 1_024;
const limitMs = 120_000;

/** A long backlog: what a pending operation costs in Redis, and how fast operations are added. No worker takes them. */
export const memorySection: Section = {
  name: 'memory',
  title: 'Pending operations in Redis',
  async measure(bench) {
    const count = bench.quick ? 20_000 : 100_000;
    const redis = new Redis(bench.stage.redisUrl);
    const sizes: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
    try {
      bench.report(`${count} operations, and as many bare jobs`);
      const ours = async () => perSecond(count, await filled(redis, sizes.ours, () => enqueue(bench, count)));
      const bare = async () => perSecond(count, await filled(redis, sizes.bare, () => addBare(bench, count)));
      const { value, ...compared } = await compare(bench.quick ? 1 : 3, limitMs, ours, bare);
      return [
        memoryOf(count, sizes),
        { what: 'Operations queued; bare addBulk', value, unit: '1/s', compared, target: { share: 0.5 } },
      ];
    } finally {
      redis.disconnect();
    }
  },
};

function memoryOf(
  count: number,
  sizes: { readonly ours: readonly number[]; readonly bare: readonly number[] },
): Figure {
  const largest = (bytes: readonly number[]) => Math.max(...bytes) / count / kilobyte;
  const [value, baseline] = [largest(sizes.ours), largest(sizes.bare)];
  const what = `Redis memory of ${count} pending operations, each; bare jobs`;
  return { what, value, unit: 'KB', compared: { baseline, ratio: value / baseline }, target: { bound: 1.2 } };
}

const perSecond = (count: number, tookMs: number): number => (count * 1_000) / tookMs;

/** Fills an empty Redis, notes its growth in bytes, and returns how long that took. */
async function filled(redis: Redis, sizes: number[], fill: () => Promise<number>): Promise<number> {
  await redis.flushall();
  const before = await usedBytes(redis);
  const tookMs = await fill();
  sizes.push((await usedBytes(redis)) - before);
  await redis.flushall();
  return tookMs;
}

async function usedBytes(redis: Redis): Promise<number> {
  const [, bytes] = /^used_memory:(\d+)/m.exec(await redis.info('memory')) ?? [];
  return Number(bytes);
}

async function enqueue(bench: Bench, count: number): Promise<number> {
  const types = definitions.map(({ type }) => type);
  const { redisUrl } = bench.stage;
  const queue = await openQueue({ redisUrl, types, log: silentLog, clock: systemClock });
  try {
    const operations = operationsOf(types, count);
    const began = performance.now();
    const { refused } = await queue.enqueue(operations, count);
    const tookMs = performance.now() - began;
    if (refused.length > 0 || (await queue.pendingCount()) !== count) throw new Error('not all operations are pending');
    return tookMs;
  } finally {
    await queue.close();
  }
}

/** As in the store: ids are numbers as texts, and a destination has many associations. */
function operationsOf(types: readonly string[], count: number): readonly Operation[] {
  return Array.from({ length: count }, (_, index) => ({
    id: String(1_000_000 + index),
    type: types[index % types.length] ?? '',
    destination_id: String(1 + (index % 50)),
    generation: 1,
    waiting: false,
  }));
}

async function addBare(bench: Bench, count: number): Promise<number> {
  const jobs = openBareJobs(bench.stage.redisUrl);
  try {
    const began = performance.now();
    await jobs.add(count);
    const tookMs = performance.now() - began;
    if ((await jobs.left()) !== count) throw new Error('some bare jobs are missing');
    return tookMs;
  } finally {
    await jobs.close();
  }
}
