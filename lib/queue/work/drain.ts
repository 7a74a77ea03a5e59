import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, UnrecoverableError, Worker } from 'bullmq';
import type { Clock } from '#core/clock.ts';
import type { DrainOptions } from '../contract.ts';
import { type JobData, queueName } from '../parts.ts';
import type { BlockingRedis } from '../redis/connection.ts';
import type { Due } from '../wake/due.ts';
import { exhaustedReason, reportError, workerOptions } from './consume.ts';
import { delayJob, type JobParts, runJob } from './job.ts';
import { Locks } from './locks.ts';
import { isReadable, setAside, setUnreadableAside } from './unreadable.ts';
import { within } from './within.ts';

export interface DrainParts extends JobParts {
  readonly connection: BlockingRedis;
  readonly prefix: string;
  /** Prefix of BullMQ's keys of the type. */
  readonly keys: string;
  readonly clock: Clock;
  readDue(): Promise<Due>;
}

/** A drain waits for a delayed job that is due within this time; the sweep rings for later ones. */
const dueSoonMs = 5_000;
/** How often the queue is checked for more jobs while jobs are in flight. */
const checkEveryMs = 100;
/** This long before the deadline, running handlers are stopped, so that their jobs can be returned to the queue. */
const putBackMs = 1_000;

type Taken = Job<JobData, void, string>;

/**
 * Takes jobs until none is left or no further job can end before the deadline. BullMQ's worker only fetches: unlike in a consumer, locks,
 * stalled jobs and completion are handled here.
 */
export async function drain(
  parts: DrainParts,
  { concurrency, lockMs, deadline, reserveMs }: DrainOptions,
): Promise<{ readonly done: number; readonly left: boolean }> {
  const { type, log, clock } = parts;
  const leftMs = () => deadline.getTime() - clock.now().getTime();
  const worker: Worker<JobData, void, string> = new Worker(
    queueName(type),
    null,
    workerOptions(parts.connection, parts.prefix, lockMs),
  );
  worker.on('error', reportError(log, type));
  const locks = new Locks(worker, lockMs, log);
  const stop = setTimeout(() => locks.stopAll('shutdown'), leftMs() - Math.min(putBackMs, reserveMs / 2));
  const inFlight = new InFlight(parts, locks);
  try {
    await worker.getBackend().moveStalledJobsToWait();
    await worker.startStalledCheckTimer();
    await takeAll(worker, inFlight, parts, { concurrency, mayTake: () => leftMs() > reserveMs });
    if (!(await within(inFlight.empty(), leftMs()))) log.warn({ type }, 'a drain ended with jobs in flight');
    return { done: inFlight.done, left: (await parts.readDue()).takeable };
  } finally {
    clearTimeout(stop);
    await within(worker.close(), putBackMs);
    locks.close();
  }
}

interface Pace {
  readonly concurrency: number;
  mayTake(): boolean;
}

async function takeAll(worker: Worker<JobData, void, string>, inFlight: InFlight, parts: DrainParts, pace: Pace) {
  while (pace.mayTake()) {
    if (inFlight.size >= pace.concurrency) {
      await inFlight.change();
      continue;
    }
    const token = randomUUID();
    const job = await nextJob(worker, parts, token);
    if (job === 'unreadable') continue;
    if (job !== undefined) inFlight.take(job, token);
    else if (inFlight.size > 0) await inFlight.change();
    else if (!(await dueSoon(parts))) return;
  }
}

/** An unreadable job is set aside, because it would stop this drain and every later one. */
async function nextJob(
  worker: Worker<JobData, void, string>,
  parts: DrainParts,
  token: string,
): Promise<Taken | 'unreadable' | undefined> {
  const aside = { ...parts, redis: parts.connection, jobs: parts.keys };
  try {
    const job: Taken | undefined = await worker.getNextJob(token, { block: false });
    if (job === undefined || isReadable(job.data)) return job;
    await setAside(aside, job.id ?? '');
    return 'unreadable';
  } catch (cause) {
    if (!(cause instanceof SyntaxError) || (await setUnreadableAside(aside)) === 0) throw cause;
    return 'unreadable';
  }
}

/** Waits for a job that is due soon; false when there is none. */
async function dueSoon(parts: DrainParts): Promise<boolean> {
  const { takeable, nextAt } = await parts.readDue();
  if (takeable) return true;
  const waitMs = nextAt - Date.now();
  if (nextAt === 0 || waitMs > dueSoonMs) return false;
  await sleep(Math.max(1, waitMs));
  return true;
}

/** The jobs in progress. */
class InFlight {
  readonly #parts: DrainParts;
  readonly #locks: Locks;
  readonly #running = new Set<Promise<void>>();
  done = 0;

  constructor(parts: DrainParts, locks: Locks) {
    this.#parts = parts;
    this.#locks = locks;
  }

  get size(): number {
    return this.#running.size;
  }

  take(job: Taken, token: string): void {
    const running = this.#run(job, token)
      .catch(reportError(this.#parts.log, this.#parts.type))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when a job ends, or when it is time to check for new ones. */
  async change(): Promise<void> {
    await within(Promise.race(this.#running), checkEveryMs);
  }

  async empty(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** A job that cannot be completed stays locked; it runs again when the lock has expired. */
  async #run(job: Taken, token: string): Promise<void> {
    const lock = this.#locks.hold(job.id ?? '', token, job.processedOn ?? Date.now());
    try {
      const ending = await runJob(this.#parts, job, lock, Boolean(job.deferredFailure));
      if (ending.kind === 'leave') return;
      if (ending.kind === 'delayed') return await delayJob(this.#parts, job, ending, token);
      if (ending.kind === 'failed') await job.moveToFailed(new UnrecoverableError(exhaustedReason), token, false);
      else await job.moveToCompleted(undefined, token, false);
      this.done += 1;
    } finally {
      lock.release();
    }
  }
}
