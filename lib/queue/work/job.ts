import type { Job } from 'bullmq';
import { outageOf } from '../../core/log/outage.ts';
import { errorLocation } from '../../core/log/stack.ts';
import type { Log } from '../../core/log.ts';
import type { Handler, Outcome } from '../contract.ts';
import { addition, type JobData, type Jobs } from '../parts.ts';
import type { Finish } from '../pending/pending.ts';
import { asOutage } from '../redis/call.ts';
import type { HeldLock } from './locks.ts';

/**
 * How a job in flight ends: it is complete, or has failed for good, and goes; it is delayed and comes back after a while; or
 * its lock is lost, so that it is somebody else's and is left as it is.
 */
export type Ending = { readonly kind: 'complete' } | { readonly kind: 'failed' } | Delayed | { readonly kind: 'leave' };

/** `firm`: a change that comes meanwhile does not bring it back sooner. */
interface Delayed {
  readonly kind: 'delayed';
  readonly afterMs: number;
  readonly firm: boolean;
}

export interface JobParts {
  readonly type: string;
  readonly handler: Handler;
  readonly finish: Finish;
  /** Whether the operation was asked for anew since its job was taken. */
  readonly hasSuccessor: (id: string) => Promise<boolean>;
  readonly jobs: Jobs;
  readonly log: Log;
}

export type TakenJob = Pick<
  Job<JobData, void, string>,
  'id' | 'data' | 'stalledCounter' | 'updateData' | 'moveToDelayed' | 'promote' | 'processedOn'
>;

/** After an error that nobody foresaw. */
const unforeseenMs = 1_000;
const afterMsMax = 86_400_000;

/**
 * Runs the handler once and takes the operation off the pending set if nothing newer is asked for.
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
    const about = { type: parts.type, operation: job.data.a, job: job.id };
    // Commands of BullMQ fail with errors of Redis, which are not translated elsewhere.
    const outage = outageOf(asOutage(cause));
    if (outage === undefined) parts.log.error({ ...about, ...errorLocation(cause) }, 'a sync job failed unexpectedly');
    else parts.log.warn({ ...about, ...outage }, 'a sync job has to wait');
    return { kind: 'delayed', afterMs: unforeseenMs, firm: true };
  }
}

/**
 * A newer generation normally has its successor, which BullMQ makes when this job completes. Where there is none (its
 * process is between reserving and adding, or died there) one is added while this job is still active, so that there is
 * no moment without a job. It comes late on purpose: a generation that the store has lost (restored from a backup) would
 * otherwise go round without pause until `forget` takes it off.
 */
async function endingOf(parts: JobParts, data: JobData, outcome: Outcome): Promise<Ending> {
  if (outcome.kind === 'again') return againOf(parts, data, outcome);
  if (outcome.kind === 'failed') {
    if (!(await parts.hasSuccessor(data.a))) await succeed(parts, data, outcome.afterMs);
    return { kind: 'failed' };
  }
  if ((await parts.finish(data.a, outcome.generation)) === 'bare') await succeed(parts, data, unforeseenMs);
  return { kind: 'complete' };
}

/** Adds the job that follows on this one. */
async function succeed({ jobs }: JobParts, data: JobData, afterMs: number): Promise<void> {
  const successor = addition({ id: data.a, destination_id: data.d, waiting: false, traceparent: data.t });
  await jobs.addBulk([{ ...successor, opts: { ...successor.opts, delay: bounded(afterMs) } }]);
}

type Again = Extract<Outcome, { kind: 'again' }>;

/** A change that came meanwhile does not wait for the retry: the job ends before its successor, which starts afresh. */
async function againOf(parts: JobParts, data: JobData, { afterMs, firm = false }: Again): Promise<Ending> {
  if (!firm && afterMs > 0 && (await parts.hasSuccessor(data.a))) return { kind: 'complete' };
  return { kind: 'delayed', afterMs: bounded(afterMs), firm };
}

/**
 * Puts a job back for later. BullMQ gives what was asked for until this moment to the successor of an active job, which this one
 * is no longer: so a change that came after `againOf` had looked brings the job itself forward.
 */
export async function delayJob(
  { hasSuccessor }: JobParts,
  job: TakenJob,
  { afterMs, firm }: Delayed,
  token: string,
): Promise<void> {
  await job.moveToDelayed(Date.now() + afterMs, token);
  if (firm || afterMs === 0 || !(await hasSuccessor(job.data.a))) return;
  // Refused when it is not delayed any more: then somebody else has brought it forward.
  await job.promote().catch(() => {});
}

const bounded = (afterMs: number): number => (afterMs > 0 ? Math.min(afterMs, afterMsMax) : 0);

/** So often a job may have taken its worker down, or lost its lock, before it has to wait. */
const stallsFree = 2;
const stallMsMax = 60_000;

/**
 * BullMQ puts a stalled job at the head of its queue. One that kills its worker each time would hold up all others, so from
 * the third time on it waits, longer each time. `s` notes for which stall it has waited already.
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
