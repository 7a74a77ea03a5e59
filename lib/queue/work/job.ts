import type { Job } from 'bullmq';
import type { Log } from '#core/log/log.ts';
import { outageOf } from '#core/log/outage.ts';
import { errorLocation } from '#core/log/stack.ts';
import type { Handler, Outcome } from '../contract.ts';
import { addition, type JobData, type Jobs } from '../parts.ts';
import type { Finish } from '../pending/pending.ts';
import { asOutage } from '../redis/call.ts';
import type { HeldLock } from './locks.ts';

/**
 * How a job in flight ends. `complete` and `failed`: the job is removed. `delayed`: it runs again later. `leave`: the lock is lost and
 * another worker may have the job, so it is left alone.
 */
export type Ending = { readonly kind: 'complete' } | { readonly kind: 'failed' } | Delayed | { readonly kind: 'leave' };

/** `firm`: a change in the meantime does not shorten the delay. */
interface Delayed {
  readonly kind: 'delayed';
  readonly afterMs: number;
  readonly firm: boolean;
}

export interface JobParts {
  readonly type: string;
  readonly handler: Handler;
  readonly finish: Finish;
  /** Whether the operation has been requested again since its job was taken. */
  readonly hasSuccessor: (id: string) => Promise<boolean>;
  readonly jobs: Jobs;
  readonly log: Log;
}

export type TakenJob = Pick<
  Job<JobData, void, string>,
  'id' | 'data' | 'stalledCounter' | 'updateData' | 'moveToDelayed' | 'promote' | 'processedOn'
>;

/** Delay after an unexpected error. */
const unexpectedMs = 1_000;
const afterMsMax = 86_400_000;

/**
 * Runs the handler once and removes the operation from the pending set if nothing newer is requested.
 *
 * @param exhausted the job came with a deferred failure
 */
export async function runJob(parts: JobParts, job: TakenJob, lock: HeldLock, exhausted: boolean): Promise<Ending> {
  try {
    const stalledMs = exhausted ? undefined : await stallDelayMs(parts, job);
    if (stalledMs !== undefined) return { kind: 'delayed', afterMs: stalledMs, firm: true };
    const { a: id, d: destinationId } = job.data;
    const named = { id, destinationId, job: job.id, traceparent: job.data.t, exhausted };
    const outcome = await parts.handler(named, lock.signal);
    if (lock.stopped === 'lost') return { kind: 'leave' };
    return await endingOf(parts, job.data, outcome);
  } catch (cause) {
    if (lock.stopped === 'lost') return { kind: 'leave' };
    if (lock.stopped === 'shutdown') return { kind: 'delayed', afterMs: 0, firm: true };
    const fields = { type: parts.type, operation: job.data.a, job: job.id };
    // Commands of BullMQ fail with raw Redis errors, which are converted only here.
    const outage = outageOf(asOutage(cause));
    if (outage === undefined) parts.log.error({ ...fields, ...errorLocation(cause) }, 'a sync job failed unexpectedly');
    else parts.log.warn({ ...fields, ...outage }, 'a sync job has to wait');
    return { kind: 'delayed', afterMs: unexpectedMs, firm: true };
  }
}

/**
 * A newer generation normally has a successor, which BullMQ starts when this job completes. If there is none because its process is between
 * reserving and adding, or died there, one is added while this job is still active, so that there is always a job. It is delayed on purpose:
 * a generation that the store has lost (by a restore from a backup) would otherwise cycle without pause until `forget` removes it.
 */
async function endingOf(parts: JobParts, data: JobData, outcome: Outcome): Promise<Ending> {
  if (outcome.kind === 'again') return againOf(parts, data, outcome);
  if (outcome.kind === 'failed') {
    if (!(await parts.hasSuccessor(data.a))) await addSuccessor(parts, data, outcome.afterMs);
    return { kind: 'failed' };
  }
  if ((await parts.finish(data.a, outcome.generation)) === 'needs-job') await addSuccessor(parts, data, unexpectedMs);
  return { kind: 'complete' };
}

/** Adds the job that follows this one. */
async function addSuccessor({ jobs }: JobParts, data: JobData, afterMs: number): Promise<void> {
  const successor = addition({ id: data.a, destination_id: data.d, waiting: false, traceparent: data.t });
  await jobs.addBulk([{ ...successor, opts: { ...successor.opts, delay: bounded(afterMs) } }]);
}

type Again = Extract<Outcome, { kind: 'again' }>;

/** A change in the meantime does not wait for the retry: the job completes, and its successor starts with its attempts reset. */
async function againOf(parts: JobParts, data: JobData, { afterMs, firm = false }: Again): Promise<Ending> {
  if (!firm && afterMs > 0 && (await parts.hasSuccessor(data.a))) return { kind: 'complete' };
  return { kind: 'delayed', afterMs: bounded(afterMs), firm };
}

/**
 * Delays a job. BullMQ turns a request for an active job into its successor, but a delayed job has no successor: so if a change came after
 * the check in `againOf`, the job itself is brought forward.
 */
export async function delayJob(
  { hasSuccessor }: JobParts,
  job: TakenJob,
  { afterMs, firm }: Delayed,
  token: string,
): Promise<void> {
  await job.moveToDelayed(Date.now() + afterMs, token);
  if (firm || afterMs === 0 || !(await hasSuccessor(job.data.a))) return;
  // Fails when the job is no longer delayed, because another process has brought it forward.
  await job.promote().catch(() => {});
}

const bounded = (afterMs: number): number => (afterMs > 0 ? Math.min(afterMs, afterMsMax) : 0);

/** How often a job may crash its worker or lose its lock before it has to wait. */
const stallsFree = 2;
const stallMsMax = 60_000;

/**
 * BullMQ puts a stalled job at the head of its queue. A job that kills its worker each time would block all others, so from the third time on
 * it is delayed, longer each time. `s` records the last stall for which it was delayed.
 */
async function stallDelayMs(parts: JobParts, job: TakenJob): Promise<number | undefined> {
  const { stalledCounter, data } = job;
  if (stalledCounter <= Math.max(stallsFree, data.s ?? 0)) return undefined;
  parts.log.warn(
    { type: parts.type, operation: data.a, job: job.id, stalled: stalledCounter },
    'a sync job lost its worker repeatedly',
  );
  await job.updateData({ ...data, s: stalledCounter });
  return Math.min(stallMsMax, 1_000 * 2 ** (stalledCounter - stallsFree - 1));
}
