import type { WorkerOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Log } from '../../core/log.ts';

/** After an error while fetching, in milliseconds. */
const fetchRetryMs = 500;

/** So often a job may take its worker down, or lose its lock; the next time its attempt counts as failed (see attempt.ts). */
const stallsMax = 4;

/** Finished and failed jobs go at once: the store knows what came of them. */
export const workerOptions = (connection: Redis, prefix: string, lockMs: number): WorkerOptions => ({
  connection,
  prefix,
  autorun: false,
  lockDuration: lockMs,
  skipLockRenewal: true,
  stalledInterval: Math.max(50, lockMs / 2),
  maxStalledCount: stallsMax,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
  runRetryDelay: fetchRetryMs,
});

/** An outage is logged once by its connection; BullMQ reports it at every attempt. */
export function reportError(log: Log, type: string): (cause: Error) => void {
  return (cause) => {
    const level = 'code' in cause ? 'debug' : 'warn';
    log[level]({ type, error: cause.message }, 'sync worker');
  };
}

/** Why an exhausted job has failed, as BullMQ notes it. */
export const exhaustedReason = 'its workers ended one after another';

/**
 * BullMQ hands a job that has stalled too often over with its failure, to be failed without being run. Its own worker does so
 * without asking us, and the operation would be pending for ever; so the failure is taken off such a job and kept here.
 */
export class ExhaustedJobs {
  readonly #jobs = new WeakSet<object>();

  note(job: { deferredFailure: string }): void {
    if (job.deferredFailure) this.#jobs.add(job);
    job.deferredFailure = '';
  }

  has(job: object): boolean {
    return this.#jobs.has(job);
  }
}
