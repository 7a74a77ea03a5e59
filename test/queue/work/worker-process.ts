import { Redis } from 'ioredis';
import { systemClock } from '#core/clock.ts';
import { silentLog } from '#core/log/log.ts';
import type { Handler } from '#queue/contract.ts';
import { openQueue } from '#queue/open.ts';
import { patience } from '../../support/measures/patience.ts';
import type { Task } from '../child.ts';

/** A test process that runs its task and reports the result. */
const task: Task = JSON.parse(process.argv[2] ?? '');
const type = 'cloud-a-sm';
const queue = await openQueue({
  redisUrl: task.url,
  prefix: task.prefix,
  types: [type],
  log: silentLog,
  clock: systemClock,
  limits: { commandMsMax: patience.conditionMs },
});

if (task.role === 'enqueue') {
  const { firstId, count, capacity } = task;
  let accepted = 0;
  // Chunks of varying size, so that those of the processes interleave.
  for (let from = 0, size = 1; from < count; from += size, size = (size % 97) + 1) {
    const piece = Array.from({ length: Math.min(size, count - from) }, (_, index) => String(firstId + from + index));
    const asked = piece.map((id) => ({ id, type, destination_id: '7', generation: 1, waiting: false }));
    accepted += asked.length - (await queue.enqueue(asked, capacity)).refused.length;
  }
  process.send?.({ accepted });
  await queue.close();
  process.disconnect();
} else {
  const { role, concurrency, lockMs } = task;
  const redis = new Redis(task.url);
  queue.consume(type, role === 'work' ? working(redis, task.prefix) : hanging, { concurrency, lockMs });
}

/**
 * The store of these tests is a hash of generations. Each run marks its association as in flight and counts a clash when another run has
 * already marked it.
 */
function working(redis: Redis, prefix: string): Handler {
  return async ({ id }) => {
    if ((await redis.sadd(`${prefix}:inhand`, id)) === 0) await redis.incr(`${prefix}:clashes`);
    const generation = Number(await redis.hget(`${prefix}:wanted`, id));
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
    const fails = Math.random() < 0.2;
    if (!fails) await redis.hset(`${prefix}:observed`, id, generation);
    await redis.incr(`${prefix}:runs`);
    await redis.srem(`${prefix}:inhand`, id);
    return fails ? { kind: 'again', afterMs: Math.random() * 40 } : { kind: 'done', generation };
  };
}

async function hanging({ id }: { readonly id: string }): Promise<never> {
  process.send?.({ id });
  return new Promise<never>(() => {});
}
