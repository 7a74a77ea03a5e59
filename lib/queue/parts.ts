import { Queue as JobQueue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Clock } from '#core/clock.ts';
import type { Log } from '#core/log/log.ts';
import type { Doorbell, Operation } from './contract.ts';
import type { BlockingRedis } from './redis/connection.ts';

/** The keys of the module in Redis. The prefix is a hash tag, which puts all keys into one slot of a cluster. */
export interface Keys {
  readonly prefix: string;
  /** Hash: association id → requested and reserved generation (see pending/scripts.ts). */
  readonly pending: string;
  /** Sorted set: pending entries that seem to be obsolete, by the time when this was first noticed. */
  readonly doubted: string;
  /** Set: has a member while the queues are paused. For autoscalers, which cannot read BullMQ's own flag. */
  readonly paused: string;
  /** Sorted set: the workers of a type, by the time when each was last seen (see work/presence.ts). */
  workers(type: string): string;
  /** Channel on which the end of an association's operation is announced. */
  channel(id: string): string;
  /** Prefix of BullMQ's keys for the queue of a type. */
  jobs(type: string): string;
  /** The key under which BullMQ keeps the job that follows the active one of an association. */
  successor(type: string, id: string): string;
  readonly ask: AskKeys;
}

/** The names of questions to workers. */
export interface AskKeys {
  /** List of the ids that wait. */
  list(type: string): string;
  question(id: string): string;
  answer(id: string): string;
  /** What is announced when a question waits, and when it is answered. */
  asked(type: string): string;
  answered(id: string): string;
}

export const usualPrefix = '{keyferry}';

/** The key that holds the unreadable jobs of a type. */
export const unreadableKey = (prefix: string, type: string): string => `${prefix}:unreadable:${type}`;

export const queueName = (type: string): string => `sync-${type}`;

export function keysBelow(prefix: string): Keys {
  return {
    prefix,
    pending: `${prefix}:pending`,
    doubted: `${prefix}:doubted`,
    paused: `${prefix}:paused`,
    workers: (type) => `${prefix}:workers:${type}`,
    channel: (id) => `${prefix}:settled:${id}`,
    jobs: (type) => `${prefix}:${queueName(type)}:`,
    successor: (type, id) => `${prefix}:${queueName(type)}:dn:${id}`,
    ask: {
      list: (type) => `${prefix}:asks:${type}`,
      question: (id) => `${prefix}:ask:${id}`,
      answer: (id) => `${prefix}:answer:${id}`,
      asked: (type) => `asked:${type}`,
      answered: (id) => `answered:${id}`,
    },
  };
}

/** The data of a job: the association and its destination. The names are short because there may be a million jobs. */
export interface JobData {
  readonly a: string;
  readonly d: string;
  /** How often the job had stalled when it was last delayed because of that. */
  readonly s?: number;
  /** W3C trace context of the request; only present when it is traced. */
  readonly t?: string;
}

const jobName = 's';

/** BullMQ's event stream is not used, so it is kept short. */
const eventsMax = 100;

/**
 * BullMQ writes `attempts: 0` into each job unless it is explicitly undefined. That field makes Redis store the job as a hash table
 * instead of a listpack (which holds fields of at most 64 bytes), at twice the size. We retry by delaying jobs, so a job has no attempts.
 */
const unset: object = { attempts: undefined };

export type Jobs = JobQueue<JobData, void, string>;

/**
 * The queue of a type, for adding and pausing. Redis may be unreachable at the start. BullMQ would remember a failed version check for
 * ever, so the check is skipped.
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
 * One job per association: while it waits, further additions are dropped; while it runs, BullMQ keeps the last one as the next job
 * (`keepLastIfActive`); while it is delayed, `reschedule` brings it forward.
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

/** What the modules of an open queue share. */
export interface Parts {
  readonly types: readonly string[];
  readonly keys: Keys;
  /** For calls that must fail quickly. */
  readonly failFast: Redis;
  /** For workers, whose commands wait until Redis is back. */
  readonly blocking: BlockingRedis;
  readonly jobs: ReadonlyMap<string, Jobs>;
  readonly doorbell: Doorbell;
  readonly log: Log;
  readonly clock: Clock;
}

/** @throws Error for a type that the queue was not opened with */
export function jobsOf({ jobs }: Parts, type: string): Jobs {
  const found = jobs.get(type);
  if (found === undefined) throw new Error(`there is no queue for the type ${type}`);
  return found;
}
