import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, type Job, UnrecoverableError, Worker, type WorkerOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Log } from '#core/log/log.ts';
import type { ConsumeOptions, Consumer } from '../contract.ts';
import { type JobData, queueName } from '../parts.ts';
import type { BlockingRedis } from '../redis/connection.ts';
import { delayJob, type Ending, type JobParts, runJob } from './job.ts';
import { Locks } from './locks.ts';
import { isReadable, setAside, setUnreadableAside } from './unreadable.ts';
import { within } from './within.ts';

/** Time for handlers to stop and for their jobs to be returned to the queue. */
const putBackMs = 2_000;
/** Time to complete jobs whose handlers have ended. */
const completionMs = 500;

/** Takes and runs jobs of one type until it is closed; waits while Redis is unavailable. */
export function consume(
  parts: JobParts & { readonly keys: string },
  connection: BlockingRedis,
  prefix: string,
  { concurrency, lockMs, atRest = false }: ConsumeOptions,
): Consumer {
  const { type, log } = parts;
  const exhausted = new ExhaustedJobs();
  const aside = { redis: connection, prefix, type, jobs: parts.keys, log };
  const options = { ...workerOptions(connection, prefix, lockMs), concurrency };
  const worker: Worker<JobData, void, string> = new Worker(
    queueName(type),
    async (job, token = '') => {
      if (!isReadable(job.data)) {
        await setAside(aside, job.id ?? '').catch(reportError(log, type));
        throw new DelayedError();
      }
      const ending = await end(job, token);
      if (ending === 'complete') return;
      // With any other error, BullMQ would drop a job that must be kept.
      throw ending === 'failed' ? new UnrecoverableError(exhaustedReason) : new DelayedError();
    },
    options,
  );
  const locks = new Locks(worker, lockMs, log);
  async function end(job: Job<JobData, void, string>, token: string): Promise<Ending['kind']> {
    const lock = locks.hold(job.id ?? '', token, job.processedOn ?? Date.now());
    try {
      const ending = await runJob(parts, job, lock, exhausted.has(job));
      if (ending.kind === 'delayed') await delayJob(parts, job, ending, token);
      return ending.kind;
    } catch (cause) {
      // The lock expires, and the job runs again.
      log.warn({ type, error: cause instanceof Error ? cause.message : 'unknown' }, 'a sync job could not be delayed');
      return 'leave';
    } finally {
      lock.release();
    }
  }
  const report = reportError(log, type);
  // BullMQ would take a job that it cannot parse again and again.
  const handleError = (cause: Error) =>
    cause instanceof SyntaxError ? setUnreadableAside(aside).catch(report) : report(cause);
  worker.on('error', (cause) => void handleError(cause));
  worker.on('active', (job) => exhausted.note(job));
  const run = () => worker.run().catch(report);
  if (!atRest) void run();
  return {
    ...closing(worker, locks, (fields, message) => log.warn({ type, ...fields }, message)),
    rest: resting(worker, run, atRest, report),
  };
}

/** A fetch that is in progress when the rest begins may still return a job; its handler delays it. */
function resting(worker: Worker, run: () => Promise<void>, atRestFirst: boolean, report: (cause: Error) => void) {
  let [atRest, hasRun] = [atRestFirst, !atRestFirst];
  return (wanted: boolean) => {
    if (wanted === atRest) return;
    atRest = wanted;
    if (wanted) return void worker.pause(true).catch(report);
    if (hasRun) return void worker.resume().catch(report);
    hasRun = true;
    void run();
  };
}

function closing(
  worker: Worker,
  locks: Locks,
  warn: (fields: object, message: string) => void,
): Pick<Consumer, 'close'> {
  let closed: Promise<void> | undefined;
  async function close(graceMs: number): Promise<void> {
    const ended = worker.close();
    // Closing through BullMQ waits for an unreachable Redis; without a job in flight there is nothing to wait for.
    const idle = () => Promise.race([ended, locks.empty().then(() => sleep(completionMs))]);
    if (!(await within(idle(), graceMs))) {
      locks.stopAll('shutdown');
      // A handler that does not stop keeps its job until the lock expires: a delay is better than two handlers for one association.
      if (!(await within(idle(), putBackMs))) warn({ graceMs }, 'a worker was closed with jobs in flight');
    }
    locks.close();
  }
  return {
    close(graceMs) {
      closed ??= close(graceMs);
      return closed;
    },
  };
}

/** Pause after an error while fetching, in milliseconds. */
const fetchRetryMs = 500;

/** How often a job may crash its worker or lose its lock; after the next time, its attempt counts as failed. */
const stallsMax = 4;

/** Finished and failed jobs are removed at once, because the store has their results. */
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

/** The connection logs an outage once; BullMQ reports it with every attempt, which is logged at debug level. */
export function reportError(log: Log, type: string): (cause: Error) => void {
  return (cause) => {
    const level = 'code' in cause ? 'debug' : 'warn';
    log[level]({ type, error: cause.message }, 'sync worker');
  };
}

/** The failure reason of an exhausted job in BullMQ. */
export const exhaustedReason = 'its workers ended one after another';

/**
 * BullMQ delivers a job that has stalled too often with a deferred failure, and its worker fails the job without running our handler, which
 * would leave the operation pending for ever. So the failure is removed from such a job and recorded here.
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
