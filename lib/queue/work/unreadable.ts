import type { Redis } from 'ioredis';
import type { Log } from '#core/log/log.ts';
import { type JobData, unreadableKey } from '../parts.ts';
import { run, script } from '../redis/call.ts';

/** How long an unreadable job is kept for inspection. The sweep has long queued its association again by then. */
const keptMs = 7 * 24 * 3_600_000;

/**
 * KEYS: jobs set aside, by time; active; stalled. ARGV: prefix of BullMQ's keys, id of the job, how long it is kept. Removes the job from the
 * queue, its lock, and BullMQ's deduplication key of its association. Returns 1, or 0 when the job is not active.
 */
const setAsideScript = script(`
local time = redis.call('TIME')
local now, job, kept = time[1] * 1000 + math.floor(time[2] / 1000), ARGV[1] .. ARGV[2], tonumber(ARGV[3])
if redis.call('LREM', KEYS[2], 0, ARGV[2]) == 0 then return 0 end
redis.call('SREM', KEYS[3], ARGV[2])
redis.call('DEL', job .. ':lock')
if redis.call('TYPE', job).ok == 'hash' then
  local association = redis.call('HGET', job, 'deid')
  if association and redis.call('GET', ARGV[1] .. 'de:' .. association) == ARGV[2] then
    redis.call('DEL', ARGV[1] .. 'de:' .. association)
  end
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - kept)
redis.call('ZADD', KEYS[1], now, ARGV[2])
redis.call('PEXPIRE', KEYS[1], kept)
if redis.call('EXISTS', job) == 1 then
  redis.call('RENAME', job, KEYS[1] .. ':' .. ARGV[2])
  redis.call('PEXPIRE', KEYS[1] .. ':' .. ARGV[2], kept)
end
return 1`);

export interface UnreadableParts {
  readonly redis: Redis;
  readonly prefix: string;
  readonly type: string;
  /** Prefix of BullMQ's keys of the type. */
  readonly jobs: string;
  readonly log: Log;
}

/** The data of a job must name an association and its destination. */
export function isReadable(data: unknown): data is JobData {
  if (typeof data !== 'object' || data === null) return false;
  const isId = (value: unknown) => typeof value === 'string' && /^\d{1,19}$/.test(value);
  return isId(Reflect.get(data, 'a')) && isId(Reflect.get(data, 'd'));
}

/** Moves an unreadable job out of the queue and logs it once. Its association is still dirty, so the sweep queues it again. */
export async function setAside({ redis, prefix, type, jobs, log }: UnreadableParts, job: string): Promise<void> {
  const aside = unreadableKey(prefix, type);
  const keys = [aside, `${jobs}active`, `${jobs}stalled`];
  if ((await run(redis, setAsideScript, keys, [jobs, job, keptMs])) !== 1) return;
  log.error({ type, job, key: `${aside}:${job}` }, 'a sync job cannot be read: it was set aside');
}

/**
 * Sets aside all active jobs that are unreadable. BullMQ takes such a job, fails to parse it, and takes it again when its lock has expired.
 * Returns their number.
 */
export async function setUnreadableAside(parts: UnreadableParts): Promise<number> {
  const active = await parts.redis.lrange(`${parts.jobs}active`, 0, -1);
  const unreadable: string[] = [];
  for (const job of active) if (!(await canBeRead(parts, job))) unreadable.push(job);
  for (const job of unreadable) await setAside(parts, job);
  return unreadable.length;
}

async function canBeRead({ redis, jobs }: UnreadableParts, job: string): Promise<boolean> {
  try {
    const [data, options] = await redis.hmget(`${jobs}${job}`, 'data', 'opts');
    JSON.parse(options ?? '{}');
    return isReadable(JSON.parse(data ?? '{}'));
  } catch (error) {
    if (error instanceof SyntaxError || isWrongType(error)) return false;
    throw error;
  }
}

const isWrongType = (error: unknown): boolean => error instanceof Error && error.message.startsWith('WRONGTYPE');
