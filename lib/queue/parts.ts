import { Queue as JobQueue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Doorbell, Operation } from './contract.ts';
import type { BlockingRedis } from './redis/connection.ts';

/** Names of what the module keeps in Redis. The prefix is a hash tag: all keys lie in one slot of a cluster. */
export interface Keys {
  readonly prefix: string;
  /** Hash: association id → what is asked for (see pending.ts). */
  readonly pending: string;
  /** Sorted set: pending entries that nobody seems to need, by the time of the first doubt. */
  readonly doubted: string;
  /** Set: has a member while the queues are paused, for autoscalers, which cannot read BullMQ's own flag. */
  readonly paused: string;
  /** Channel on which the end of an association's operation is announced. */
  channel(id: string): string;
  /** BullMQ's keys of a type's queue begin with this. */
  jobs(type: string): string;
  /** Where BullMQ keeps the job that follows the active one of an association. */
  successor(type: string, id: string): string;
}

export const usualPrefix = '{keyferry}';

/** Where jobs of a type that cannot be read are kept. */
export const unreadableKey = (prefix: string, type: string): string => `${prefix}:unreadable:${type}`;

export const queueName = (type: string): string => `sync-${type}`;

export function keysBelow(prefix: string): Keys {
  return {
    prefix,
    pending: `${prefix}:pending`,
    doubted: `${prefix}:doubted`,
    paused: `${prefix}:paused`,
    channel: (id) => `${prefix}:settled:${id}`,
    jobs: (type) => `${prefix}:${queueName(type)}:`,
    successor: (type, id) => `${prefix}:${queueName(type)}:dn:${id}`,
  };
}

/** What a job says: the association and its destination. Short names, because there may be a million of them. */
export interface JobData {
  readonly a: string;
  readonly d: string;
  /** How often it had been stalled when it was last delayed for that. */
  readonly s?: number;
  /** W3C trace context of the request that asked for it; absent unless it is traced. */
  readonly t?: string;
}

const jobName = 's';

/** Nobody reads BullMQ's stream of events. */
const eventsMax = 100;

/**
 * BullMQ writes `attempts: 0` into each job unless it is undefined, and that one word makes Redis store the job as a hash
 * table instead of a listpack, at twice the size (fields of at most 64 bytes are packed). Retries are delays: a job
 * has no attempts.
 */
const unset: object = { attempts: undefined };

export type Jobs = JobQueue<JobData, void, string>;

/**
 * The queue of a type, for adding and pausing. Its connection may be away at the start: BullMQ would keep the failure of
 * its first look at the server for ever, so it takes none.
 */
export function openJobs(type: string, connection: Redis, prefix: string, log: Log): Jobs {
  const jobs: Jobs = new JobQueue(queueName(type), {
    connection,
    prefix,
    streams: { events: { maxLen: eventsMax } },
    skipVersionCheck: true,
    skipWaitingForReady: true,
  });
  jobs.on('error', (cause) => log.debug({ type, error: cause.message }, 'queue'));
  return jobs;
}

type Addition = Parameters<Jobs['addBulk']>[0][number];

/**
 * One job per association: while it waits, a second addition is dropped; while it runs, BullMQ keeps the last and makes it
 * the next job (`keepLastIfActive`); while it is delayed, `reschedule` brings it forward.
 */
export function addition(operation: Pick<Operation, 'id' | 'destination_id' | 'waiting' | 'traceparent'>): Addition {
  const deduplication = { id: operation.id, keepLastIfActive: true };
  const trace = operation.traceparent === undefined ? {} : { t: operation.traceparent };
  return {
    name: jobName,
    data: { a: operation.id, d: operation.destination_id, ...trace },
    opts: { ...unset, deduplication: operation.waiting ? { ...deduplication, reschedule: true } : deduplication },
  };
}

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
