import type { Redis } from 'ioredis';
import type { Log } from '#core/log/log.ts';
import type { Doorbell } from '../contract.ts';
import { type Keys, keysBelow, usualPrefix } from '../parts.ts';
import { type ConnectionLimits, failFastConnection } from '../redis/connection.ts';
import { readDue } from './due.ts';

/**
 * A doorbell that many processes may press but that rings only a few times. Its flag in Redis has three states per type:
 *
 * - *silent* (absent): the next press rings and raises the flag.
 * - *on its way* (for `wayMs`): a ring has been sent; presses do nothing. If the ring is lost, a press after that time rings again.
 * - *awake* (for `holdMs`): a worker is awake; presses do nothing. A busy type therefore rings once a second and gets one more worker each
 *   time, as long as its workers do not keep up.
 *
 * A press always comes after its job was added, and a worker lowers the flag before its last check (`rearm`), so this check finds the jobs
 * whose rings were suppressed. If the worker dies in between, the sweep wakes another (`wake`).
 */
export interface Bell extends Doorbell {
  /** Called by a worker that was woken by a ring. */
  awake(type: string): Promise<void>;
  /**
   * Called by a worker when it ends: rings again after `pauseMs` if jobs are left, or for the first delayed job when it is due.
   *
   * @throws when Redis or the sender fails; the wake-up is lost unless the caller repeats it
   */
  rearm(type: string, pauseMs: number): Promise<void>;
  close(): void;
}

export interface BellOptions {
  readonly redisUrl: string;
  readonly prefix?: string;
  /** Carries a ring to a worker. */
  readonly sender: Doorbell;
  readonly log: Log;
  readonly limits?: ConnectionLimits;
  readonly times?: BellTimes;
}

/** How long a flag stays up, in milliseconds. */
export interface BellTimes {
  /** After a ring has been sent. */
  readonly wayMs: number;
  /** After a worker has been woken. */
  readonly holdMs: number;
}

const usualTimes: BellTimes = { wayMs: 10_000, holdMs: 1_000 };
/** The job of a dead worker cannot be taken before its lock has been found expired twice. */
const orphanMs = 5_000;
/** The sweep rings for later jobs. Also the longest delay of an SQS message. */
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
  sendOnce(parts.redis, flagOf(parts.keys, type), parts.wayMs, () => parts.sender.ring(type));

/** Sends unless the flag is raised; lowers the flag again when sending fails. */
async function sendOnce(redis: Redis, flag: string, forMs: number, send: () => Promise<void>): Promise<void> {
  if (!(await raise(redis, flag, forMs))) return;
  try {
    await send();
  } catch (cause) {
    await redis.del(flag).catch(() => {});
    throw cause;
  }
}

/** False when the flag is already raised. True if Redis does not answer: one ring too many is better than one too few. */
const raise = (redis: Redis, flag: string, forMs: number): Promise<boolean> =>
  redis.set(flag, '', 'PX', forMs, 'NX').then(
    (answer) => answer === 'OK',
    () => true,
  );

async function rearm(parts: Parts, type: string, pauseMs: number): Promise<void> {
  const { redis, keys } = parts;
  await redis.del(flagOf(keys, type));
  const { takeable, orphaned, nextAt } = await readDue(redis, keys, type);
  const isWanted = takeable || (await redis.exists(keys.ask.list(type))) === 1;
  if (isWanted && pauseMs === 0) await ring(parts, type);
  else if (isWanted) await ringLater(parts, type, pauseMs);
  else if (orphaned) await ringLater(parts, type, orphanMs);
  else if (nextAt > 0) await ringLater(parts, type, nextAt - Date.now());
}

/** At most one ring is sent for each second, however many workers request it. */
async function ringLater({ redis, keys, sender }: Parts, type: string, inMs: number): Promise<void> {
  const afterMs = Math.max(inMs, secondMs);
  if (afterMs > laterMsMax) return;
  const flag = `${flagOf(keys, type)}:${Math.ceil((Date.now() + inMs) / secondMs)}`;
  await sendOnce(redis, flag, afterMs + secondMs, () => sender.ring(type, afterMs));
}
