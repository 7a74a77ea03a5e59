import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, type Job, UnrecoverableError, Worker, type WorkerOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Log } from '../../core/log.ts';
import type { ConsumeOptions, Consumer } from '../contract.ts';
import { type JobData, queueName } from '../parts.ts';
import type { BlockingRedis } from '../redis/connection.ts';
import { delayJob, type Ending, type JobParts, runJob } from './job.ts';
import { Locks } from './locks.ts';
import { isReadable, setAside, setUnreadableAside } from './unreadable.ts';
import { within } from './within.ts';

/** For handlers that were asked to stop, and for putting their jobs back. */
const putBackMs = 2_000;
/** For taking jobs off whose handlers have ended. */
const lastWordMs = 500;

/** Takes and runs jobs of one type until it is closed; while Redis is away it waits for it. */
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
      // Any other error would make BullMQ drop a job that is not to go.
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
      // Not delayed: the lock expires and the job is taken up again.
      log.warn({ type, error: cause instanceof Error ? cause.message : 'unknown' }, 'a sync job was not delayed');
      return 'leave';
    } finally {
      lock.release();
    }
  }
  const report = reportError(log, type);
  // What BullMQ cannot read it takes again and again.
  const lookForUnreadable = (cause: Error) =>
    cause instanceof SyntaxError ? setUnreadableAside(aside).catch(report) : report(cause);
  worker.on('error', (cause) => void lookForUnreadable(cause));
  worker.on('active', (job) => exhausted.note(job));
  const run = () => worker.run().catch(report);
  if (!atRest) void run();
  return {
    ...closing(worker, locks, (fields, message) => log.warn({ type, ...fields }, message)),
    rest: resting(worker, run, atRest, report),
  };
}

/** A fetch that is under way when the rest begins may still bring a job, which its handler delays. */
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
    // While Redis is away BullMQ's closing waits for it; without a job in flight there is nothing to wait for.
    const idle = () => Promise.race([ended, locks.empty().then(() => sleep(lastWordMs))]);
    if (!(await within(idle(), graceMs))) {
      locks.stopAll('shutdown');
      // What does not stop keeps its job until the lock expires: two handlers of one association are worse than a delay.
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
