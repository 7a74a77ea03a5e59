import type { Redis } from 'ioredis';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Doorbell } from './contract.ts';
import type { Jobs } from './jobs.ts';
import type { Keys } from './keys.ts';
import type { BlockingRedis } from './redis/connection.ts';

/** What the parts of an open queue share. */
export interface Parts {
  readonly types: readonly string[];
  readonly keys: Keys;
  /** For callers that wait. */
  readonly failFast: Redis;
  /** For workers. */
  readonly blocking: BlockingRedis;
  readonly jobs: ReadonlyMap<string, Jobs>;
  readonly doorbell: Doorbell;
  readonly log: Log;
  readonly clock: Clock;
}

/** @throws Error for a type that the queue was not opened for. */
export function jobsOf({ jobs }: Parts, type: string): Jobs {
  const found = jobs.get(type);
  if (found === undefined) throw new Error(`no queue of type ${type}`);
  return found;
}
