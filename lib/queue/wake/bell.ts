import type { Redis } from 'ioredis';
import type { Log } from '../../core/log.ts';
import type { Doorbell } from '../contract.ts';
import { type Keys, keysBelow, usualPrefix } from '../parts.ts';
import { type ConnectionLimits, failFastConnection } from '../redis/connection.ts';
import { lookAtDue } from './due.ts';

/**
 * A doorbell that many may press and that rings a few times. Its flag in Redis has three states per type:
 *
 * - *silent* (absent): the next press rings and raises the flag.
 * - *on its way* (for `wayMs`): a ring has been sent; presses do nothing. One that is lost is rung again after that time.
 * - *awake* (for `holdMs`): a worker is awake; presses do nothing, so that a busy type rings once a second and so gets one
 *   worker more as long as those it has do not keep up.
 *
 * A press always comes after its job was added, and a worker lowers the flag before it looks for the last time (`rearm`), so
 * what a flag suppressed is seen by that look. Who dies in between leaves it to the sweep's `wake`.
 */
export interface Bell extends Doorbell {
  /** For the worker: it was woken by a ring. */
  awake(type: string): Promise<void>;
  /**
   * For the worker, when it ends: rings again for what is left to take, after `pauseMs`, or for the first delayed job
   * when it is due.
   *
   * @throws when Redis or the sender fails: the wake-up is lost unless somebody else repeats it
   */
  rearm(type: string, pauseMs: number): Promise<void>;
  close(): void;
}

export interface BellOptions {
  readonly redisUrl: string;
  readonly prefix?: string;
  /** What carries a ring to a worker. */
  readonly sender: Doorbell;
  readonly log: Log;
  readonly limits?: ConnectionLimits;
  readonly times?: BellTimes;
}

/** How long a flag stays up, in milliseconds. */
export interface BellTimes {
  /** After a ring was sent. */
  readonly wayMs: number;
  /** After a worker was woken. */
  readonly holdMs: number;
}

const usualTimes: BellTimes = { wayMs: 10_000, holdMs: 1_000 };
/** A dead worker's job cannot be taken before its lock has been found expired twice. */
const orphanMs = 5_000;
/** Later work is for the sweep. Also the longest delay of an SQS message. */
const laterMsMax = 900_000;
const secondMs = 1_000;

export function openBell(options: BellOptions): Bell {
  const { redisUrl, prefix = usualPrefix, sender, log, limits, times = usualTimes } = options;
  const redis = failFastConnection(redisUrl, log, limits);
  const keys = keysBelow(prefix);
  const parts = { redis, keys, sender, wayMs: times.wayMs };
  return {
    ring: (type) => ring(parts, type),
    async awake(type) {
      await redis.pexpire(flagOf(keys, type), times.holdMs);
    },
    rearm: (type, pauseMs) => rearm(parts, type, pauseMs),
    close: () => redis.disconnect(),
  };
}

interface Parts {
  readonly redis: Redis;
  readonly keys: Keys;
  readonly sender: Doorbell;
  readonly wayMs: number;
}

const flagOf = (keys: Keys, type: string): string => `${keys.prefix}:bell:${type}`;

const ring = (parts: Parts, type: string): Promise<void> =>
  once(parts.redis, flagOf(parts.keys, type), parts.wayMs, () => parts.sender.ring(type));

/** Sends unless the flag is up; takes the flag back when nothing was sent. */
async function once(redis: Redis, flag: string, forMs: number, send: () => Promise<void>): Promise<void> {
  if (!(await raise(redis, flag, forMs))) return;
  try {
    await send();
  } catch (cause) {
    await redis.del(flag).catch(() => {});
    throw cause;
  }
}

/** False when it is up already. Where Redis does not answer, a ring too many is better than one too few. */
const raise = (redis: Redis, flag: string, forMs: number): Promise<boolean> =>
  redis.set(flag, '', 'PX', forMs, 'NX').then(
    (answer) => answer === 'OK',
    () => true,
  );

async function rearm(parts: Parts, type: string, pauseMs: number): Promise<void> {
  const { redis, keys } = parts;
  await redis.del(flagOf(keys, type));
  const { takeable, orphaned, nextAt } = await lookAtDue(redis, keys, type);
  if (takeable && pauseMs === 0) await ring(parts, type);
  else if (takeable) await ringLater(parts, type, Date.now() + pauseMs);
  else if (orphaned) await ringLater(parts, type, Date.now() + orphanMs);
  else if (nextAt > 0) await ringLater(parts, type, nextAt);
}

/** `at`: milliseconds since 1970. One ring per second of the time to come, whoever asks for it. */
async function ringLater({ redis, keys, sender }: Parts, type: string, at: number): Promise<void> {
  const afterMs = Math.max(at - Date.now(), secondMs);
  if (afterMs > laterMsMax) return;
  const flag = `${flagOf(keys, type)}:${Math.ceil(at / secondMs)}`;
  await once(redis, flag, afterMs + secondMs, () => sender.ring(type, afterMs));
}
