import type { Redis } from 'ioredis';
import type { Log } from '#core/log/log.ts';
import { keysBelow, unreadableKey } from '../parts.ts';
import { numbers, run, script } from '../redis/call.ts';
import { type ConnectionLimits, failFastConnection } from '../redis/connection.ts';

/** The fill levels of the queues and the states of the circuit breakers, for metrics. */
export interface Levels {
  /** Levels by type. */
  jobs(): Promise<ReadonlyMap<string, JobLevels>>;
  pending(): Promise<number>;
  /** Counts the open and half-open circuit breakers of these destinations. */
  breakers(destinationIds: readonly string[]): Promise<BreakerLevels>;
  close(): void;
}

export interface JobLevels {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  /** Jobs that were set aside because they cannot be read. */
  readonly unreadable: number;
}

export interface BreakerLevels {
  /** Breakers that let no call through. */
  readonly open: number;
  /** Breakers that let one probe through. */
  readonly half_open: number;
}

export interface LevelsOptions {
  readonly redisUrl: string;
  readonly prefix: string;
  readonly types: readonly string[];
  readonly log: Log;
  readonly limits?: ConnectionLimits;
}

/** A running script blocks all other clients of Redis. */
const breakersPerCall = 500;
/** Time limit for a scrape of the metrics. */
const usualLimits: ConnectionLimits = { commandMsMax: 1_500 };

/** KEYS: gates. An open circuit breaker becomes half open when its time (`c`) has passed. Returns {open, half open}. */
const breakersScript = script(`
local time = redis.call('TIME')
local now, open, half = time[1] * 1000 + math.floor(time[2] / 1000), 0, 0
for _, key in ipairs(KEYS) do
  local till = tonumber(redis.call('HGET', key, 'c') or 0)
  if till > now then open = open + 1 elseif till > 0 then half = half + 1 end
end
return {open, half}`);

/**
 * Uses a separate connection, opened on first use, so that scrapes of metrics and sync work never wait for each other.
 */
export function openLevels({ redisUrl, prefix, types, log, limits = usualLimits }: LevelsOptions): Levels {
  let opened: Redis | undefined;
  const redis = () => {
    opened ??= failFastConnection(redisUrl, log, limits);
    return opened;
  };
  const keys = keysBelow(prefix);

  return {
    pending: () => redis().hlen(keys.pending),
    jobs: async () =>
      new Map(
        await Promise.all(
          types.map(
            async (type) => [type, await jobsOf(redis(), keys.jobs(type), unreadableKey(prefix, type))] as const,
          ),
        ),
      ),
    async breakers(ids) {
      const levels = { open: 0, half_open: 0 };
      for (let from = 0; from < ids.length; from += breakersPerCall) {
        const names = ids.slice(from, from + breakersPerCall).map((id) => `${prefix}:gate:${id}`);
        const [open = 0, half = 0] = numbers(await run(redis(), breakersScript, names, []));
        levels.open += open;
        levels.half_open += half;
      }
      return levels;
    },
    close: () => opened?.disconnect(),
  };
}

/** A paused queue keeps its jobs in the same lists. */
async function jobsOf(redis: Redis, jobs: string, aside: string): Promise<JobLevels> {
  const [waiting, active, delayed, unreadable] = await Promise.all([
    redis.llen(`${jobs}wait`),
    redis.llen(`${jobs}active`),
    redis.zcard(`${jobs}delayed`),
    redis.zcard(aside),
  ]);
  return { waiting, active, delayed, unreadable };
}
