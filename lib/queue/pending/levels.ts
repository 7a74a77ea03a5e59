import type { Redis } from 'ioredis';
import type { Log } from '../../core/log.ts';
import { keysBelow } from '../keys.ts';
import { type ConnectionLimits, hastyConnection } from '../redis/connection.ts';
import { numbers, run, script } from '../redis/script.ts';

/** How full the queues are, and which gates are closed. For metrics. */
export interface Levels {
  /** By type. */
  jobs(): Promise<ReadonlyMap<string, JobLevels>>;
  pending(): Promise<number>;
  /** How many gates of these destinations are closed, or half open. */
  gates(destinationIds: readonly string[]): Promise<GateLevels>;
  close(): void;
}

export interface JobLevels {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
}

export interface GateLevels {
  readonly closed: number;
  readonly half_open: number;
}

export interface LevelsOptions {
  readonly redisUrl: string;
  readonly prefix: string;
  readonly types: readonly string[];
  readonly log: Log;
  readonly limits?: ConnectionLimits;
}

/** A script holds Redis up for everybody while it runs. */
const gatesPerCall = 500;
/** A reading of metrics waits no longer. */
const usualLimits: ConnectionLimits = { commandMsMax: 1_500 };

/** KEYS gates. A closed gate opens for a probe when its time (`c`) is over. Answers {closed, half open}. */
const gatesScript = script(`
local time = redis.call('TIME')
local now, closed, half = time[1] * 1000 + math.floor(time[2] / 1000), 0, 0
for _, key in ipairs(KEYS) do
  local till = tonumber(redis.call('HGET', key, 'c') or 0)
  if till > now then closed = closed + 1 elseif till > 0 then half = half + 1 end
end
return {closed, half}`);

/**
 * Has a connection of its own, made when it is first asked, so that a reading of metrics never waits behind the work, nor the
 * work behind it.
 */
export function openLevels({ redisUrl, prefix, types, log, limits = usualLimits }: LevelsOptions): Levels {
  let opened: Redis | undefined;
  const redis = () => {
    opened ??= hastyConnection(redisUrl, log, limits);
    return opened;
  };
  const keys = keysBelow(prefix);

  return {
    pending: () => redis().hlen(keys.pending),
    jobs: async () =>
      new Map(await Promise.all(types.map(async (type) => [type, await jobsOf(redis(), keys.jobs(type))] as const))),
    async gates(ids) {
      const levels = { closed: 0, half_open: 0 };
      for (let from = 0; from < ids.length; from += gatesPerCall) {
        const names = ids.slice(from, from + gatesPerCall).map((id) => `${prefix}:gate:${id}`);
        const [closed = 0, half = 0] = numbers(await run(redis(), gatesScript, names, []));
        levels.closed += closed;
        levels.half_open += half;
      }
      return levels;
    },
    close: () => opened?.disconnect(),
  };
}

/** A queue that is paused keeps its jobs where it keeps them otherwise. */
async function jobsOf(redis: Redis, jobs: string): Promise<JobLevels> {
  const [waiting, active, delayed] = await Promise.all([
    redis.llen(`${jobs}wait`),
    redis.llen(`${jobs}active`),
    redis.zcard(`${jobs}delayed`),
  ]);
  return { waiting, active, delayed };
}
