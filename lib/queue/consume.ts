import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, Worker } from 'bullmq';
import { type AttemptParts, attempt } from './attempt.ts';
import type { PatientRedis } from './connection.ts';
import type { ConsumeOptions, Consumer } from './contract.ts';
import type { JobData } from './jobs.ts';
import { queueName } from './keys.ts';
import { Locks } from './locks.ts';
import { within } from './within.ts';
import { reportError, unmark, workerOptions } from './worker-options.ts';

/** For handlers that were told to stop, and for putting their jobs back. */
const putBackMs = 2_000;
/** For taking jobs off whose handlers have ended. */
const lastWordMs = 500;

/** Takes and runs jobs of one type until it is closed; while Redis is away it waits for it. */
export function consume(
  parts: AttemptParts,
  connection: PatientRedis,
  prefix: string,
  { concurrency, lockMs }: ConsumeOptions,
): Consumer {
  const { type, log } = parts;
  const options = { ...workerOptions(connection, prefix, lockMs), concurrency };
  const worker: Worker<JobData, void, string> = new Worker(
    queueName(type),
    async (job, token = '') => {
      const lock = locks.hold(job.id ?? '', token, job.processedOn ?? Date.now());
      try {
        const ending = await attempt(parts, job, lock);
        if (ending.kind === 'complete') return;
        if (ending.kind === 'aside') await job.moveToDelayed(Date.now() + ending.afterMs, token);
      } catch (cause) {
        // Not put aside: the lock expires and the job is taken up again. Any other error would make BullMQ drop it.
        log.warn({ type, error: cause instanceof Error ? cause.message : 'unknown' }, 'a sync job was not put aside');
      } finally {
        lock.release();
      }
      throw new DelayedError();
    },
    options,
  );
  const locks = new Locks(worker, lockMs, log);
  worker.on('error', reportError(log, type));
  worker.on('active', unmark);
  worker.run().catch(reportError(log, type));
  return closing(worker, locks, (fields, message) => log.warn({ type, ...fields }, message));
}

function closing(worker: Worker, locks: Locks, warn: (fields: object, message: string) => void): Consumer {
  let closed: Promise<void> | undefined;
  async function close(graceMs: number): Promise<void> {
    const ended = worker.close();
    // While Redis is away BullMQ's closing waits for it; without a job in hand there is nothing to wait for.
    const idle = () => Promise.race([ended, locks.empty().then(() => sleep(lastWordMs))]);
    if (!(await within(idle(), graceMs))) {
      locks.stopAll('shutdown');
      // What does not stop keeps its job until the lock expires: two handlers of one association are worse than a delay.
      if (!(await within(idle(), putBackMs))) warn({ graceMs }, 'a worker was closed with jobs in hand');
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
