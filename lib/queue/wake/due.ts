import type { Redis } from 'ioredis';
import type { Keys } from '../parts.ts';
import { numbers, run, script } from '../redis/call.ts';

/** What the queue of a type holds for a worker. */
export interface Due {
  /** Whether jobs can be taken now. */
  readonly takeable: boolean;
  /** Whether a job in flight has lost its worker: its lock has expired. */
  readonly orphaned: boolean;
  /** When the first delayed job is due, in milliseconds since 1970; 0 when there is none. */
  readonly nextAt: number;
}

/**
 * KEYS: wait, active, delayed, meta. ARGV: now, prefix of BullMQ's keys. BullMQ's score of a delayed job is its due time in milliseconds times
 * 4096. Checks at most 1,000 active jobs.
 */
const dueScript = script(`
if redis.call('HEXISTS', KEYS[4], 'paused') == 1 then return {0, 0, 0} end
local takeable, orphaned, nextAt = 0, 0, 0
if redis.call('LLEN', KEYS[1]) > 0 then takeable = 1 end
local first = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2]
if first then
  nextAt = math.floor(tonumber(first) / 4096)
  if nextAt <= tonumber(ARGV[1]) then takeable = 1 end
end
for _, job in ipairs(redis.call('LRANGE', KEYS[2], 0, 999)) do
  if redis.call('EXISTS', ARGV[2] .. job .. ':lock') == 0 then orphaned = 1 break end
end
return {takeable, orphaned, nextAt}`);

/** Reads what is due for a type. Nothing is due in a paused queue. */
export async function readDue(redis: Redis, keys: Keys, type: string): Promise<Due> {
  const jobs = keys.jobs(type);
  const names = ['wait', 'active', 'delayed', 'meta'].map((name) => `${jobs}${name}`);
  const [takeable, orphaned, nextAt = 0] = numbers(await run(redis, dueScript, names, [Date.now(), jobs]));
  return { takeable: takeable === 1, orphaned: orphaned === 1, nextAt };
}

/** The types for which a worker has to be woken. */
export async function dueTypes(redis: Redis, keys: Keys, types: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(types.map(async (type) => ({ type, due: await readDue(redis, keys, type) })));
  return found.filter(({ due }) => due.takeable || due.orphaned).map(({ type }) => type);
}
