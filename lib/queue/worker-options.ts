import type { WorkerOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Log } from '../core/log.ts';

/** After an error while fetching, in milliseconds. */
const fetchRetryMs = 500;

/**
 * Finished jobs go at once: the store knows what came of them. No job is ever failed for having stalled: an operation that
 * is pending keeps its job (see `putAsideMs` in attempt.ts for one that takes its workers down).
 */
export const workerOptions = (connection: Redis, prefix: string, lockMs: number): WorkerOptions => ({
  connection,
  prefix,
  autorun: false,
  lockDuration: lockMs,
  skipLockRenewal: true,
  stalledInterval: Math.max(50, lockMs / 2),
  maxStalledCount: Number.MAX_SAFE_INTEGER,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
  runRetryDelay: fetchRetryMs,
});

/** An outage is told once by its connection; BullMQ tells it at every attempt. */
export function reportError(log: Log, type: string): (cause: Error) => void {
  return (cause) => {
    const level = 'code' in cause ? 'debug' : 'warn';
    log[level]({ type, error: cause.message }, 'sync worker');
  };
}

/**
 * A job that another version of this program has marked as failed for stalling is run all the same: BullMQ would drop it
 * and leave its operation without a job. An empty reason is none.
 */
export function unmark(job: { deferredFailure: string }): void {
  job.deferredFailure = '';
}
