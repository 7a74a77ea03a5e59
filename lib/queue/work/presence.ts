import type { Redis } from 'ioredis';
import { randomBase62 } from '#core/ids.ts';
import type { Log } from '#core/log/log.ts';
import type { WorkersSeen } from '../contract.ts';
import type { Keys } from '../parts.ts';
import { numbers, run, script } from '../redis/call.ts';

/** How often a worker says that it is there, and for how long it counts as seen, in milliseconds. */
const touchMs = 15_000;
const seenMs = 60_000;
/** How long the time is kept at which a worker of a type was last seen, in milliseconds. */
const keptMs = 30 * 86_400_000;

/** The member of the sorted set that no worker has: its score is when any of them was last seen. */
const lastMember = 'last';

/** KEYS: workers of a type. ARGV: worker, milliseconds for which one counts as seen, and for which the set is kept. */
const touchScript = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1], now, '${lastMember}')
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])`);

/**
 * KEYS: workers of types. ARGV: milliseconds. Returns for each type how many workers were seen within this time, and when the last one was;
 * 0 for a type whose workers were not seen for long.
 */
const seenScript = script(`
local time = redis.call('TIME')
local now, found = time[1] * 1000 + math.floor(time[2] / 1000), {}
for i, key in ipairs(KEYS) do
  local last = tonumber(redis.call('ZSCORE', key, '${lastMember}') or '0')
  local seen = redis.call('ZCOUNT', key, now - ARGV[1], '+inf')
  if last >= now - ARGV[1] then seen = seen - 1 end
  found[i * 2 - 1], found[i * 2] = seen, last
end
return found`);

/** Says that a worker of a type is there, by the clock of Redis. */
export interface Presence {
  /** Says it once. Resolves also when that failed. */
  seen(): Promise<void>;
  /** Says it now and again. */
  begin(): void;
  /** The worker is no longer there. */
  end(): Promise<void>;
}

/** A worker that was not ended, since its process died or was frozen, counts as seen for a minute more. */
export function presenceOf(redis: Redis, keys: Keys, type: string, log: Log): Presence {
  const key = keys.workers(type);
  const worker = randomBase62(12);
  let timer: NodeJS.Timeout | undefined;
  const failed = (cause: unknown) =>
    log.debug({ type, error: cause instanceof Error ? cause.message : 'unknown' }, 'the presence of a worker');
  let touched = Promise.resolve();
  const touch = () => {
    touched = run(redis, touchScript, [key], [worker, seenMs, keptMs]).then(() => {}, failed);
    return touched;
  };
  return {
    seen: touch,
    begin() {
      if (timer !== undefined) return;
      timer = setInterval(touch, touchMs).unref();
      void touch();
    },
    async end() {
      if (timer === undefined) return;
      clearInterval(timer);
      timer = undefined;
      await touched;
      await redis.zrem(key, worker).then(() => {}, failed);
    },
  };
}

/** The workers of each type, in one round trip. */
export async function workersSeen(
  redis: Redis,
  keys: Keys,
  types: readonly string[],
): Promise<ReadonlyMap<string, WorkersSeen>> {
  if (types.length === 0) return new Map();
  const found = numbers(await run(redis, seenScript, types.map(keys.workers), [seenMs]));
  return new Map(
    types.map((type, at) => {
      const [seen = 0, last = 0] = found.slice(at * 2, at * 2 + 2);
      return [type, { seen, lastSeenAt: last === 0 ? undefined : new Date(last) }];
    }),
  );
}
