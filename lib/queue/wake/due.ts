import type { Redis } from 'ioredis';
import type { Keys } from '../parts.ts';
import { numbers, run, script } from '../redis/call.ts';

/** What a type's queue holds for a worker. */
export interface Due {
  /** Jobs that can be taken now. */
  readonly takeable: boolean;
  /** A job in flight whose lock has expired: its worker is gone. */
  readonly orphaned: boolean;
  /** When the first job that was delayed is due, in milliseconds since 1970; 0: none. */
  readonly nextAt: number;
}

/**
 * KEYS wait, active, delayed, meta; ARGV now, beginning of BullMQ's keys. BullMQ's score of a delayed job is its time in
 * milliseconds times 4096. At most 1,000 active jobs are looked at.
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

/** Nothing is due in a queue that is paused. */
export async function lookAtDue(redis: Redis, keys: Keys, type: string): Promise<Due> {
  const jobs = keys.jobs(type);
  const names = ['wait', 'active', 'delayed', 'meta'].map((name) => `${jobs}${name}`);
  const [takeable, orphaned, nextAt = 0] = numbers(await run(redis, dueScript, names, [Date.now(), jobs]));
  return { takeable: takeable === 1, orphaned: orphaned === 1, nextAt };
}

/** The types that a worker has to be woken for. */
export async function dueTypes(redis: Redis, keys: Keys, types: readonly string[]): Promise<readonly string[]> {
  const looks = await Promise.all(types.map(async (type) => ({ type, due: await lookAtDue(redis, keys, type) })));
  return looks.filter(({ due }) => due.takeable || due.orphaned).map(({ type }) => type);
}
