import { type Clock, systemClock } from '#core/clock.ts';
import type { Log } from '#core/log/log.ts';
import { answering, answeringWaiting } from './ask/answer.ts';
import { asking } from './ask/ask.ts';
import type { Asks, Consumer, Doorbell, Queue } from './contract.ts';
import { gateStates } from './gate/states.ts';
import { jobsOf, keysBelow, openJobs, type Parts, usualPrefix } from './parts.ts';
import { enqueue, openPending } from './pending/pending.ts';
import { promoteStranded } from './pending/stranded.ts';
import { reach } from './redis/call.ts';
import { blockingConnection, type ConnectionLimits, failFastConnection } from './redis/connection.ts';
import { checkServer } from './redis/server-check.ts';
import { Announcements, type Listener } from './wake/announcements.ts';
import { ringAll, silentDoorbell } from './wake/doorbell.ts';
import { dueTypes } from './wake/due.ts';
import { workersSeen } from './work/presence.ts';
import { setPaused, working } from './work/working.ts';

export interface QueueOptions {
  readonly redisUrl: string;
  /** Destination types; each has its own queue. */
  readonly types: readonly string[];
  /** A hash tag, such as `{keyferry}`: it keeps all keys in one slot of a Redis Cluster. */
  readonly prefix?: string;
  readonly log: Log;
  /** For tests. Default: the clock of the process for its own deadlines, and that of Redis for shared state. */
  readonly clock?: Clock;
  readonly doorbell?: Doorbell;
  readonly limits?: ConnectionLimits;
}

/** The queue with what the module offers beyond the contract. */
export interface SyncQueue extends Queue, Asks {
  listen(id: string): Listener;
  /** Rings for each type with jobs that can be taken, are due, or were left behind by a dead worker. For the sweep. */
  wake(): Promise<void>;
}

/**
 * Opens the queues. Redis need not be reachable: calls then fail with AppError `unavailable` within the time limit, and consumers wait.
 *
 * @throws Error when the prefix is not a hash tag
 */
export async function openQueue(options: QueueOptions): Promise<SyncQueue> {
  const { redisUrl, types, prefix = usualPrefix, log, clock = systemClock, doorbell = silentDoorbell } = options;
  if (!/^\{[^{}]+\}$/.test(prefix)) throw new Error(`the queue prefix ${prefix} is not a hash tag such as {keyferry}`);
  const keys = keysBelow(prefix);
  const failFast = failFastConnection(redisUrl, log, options.limits);
  const blocking = blockingConnection(redisUrl, log);
  checkServer(failFast, log);
  const jobs = new Map(types.map((type) => [type, openJobs(type, failFast, prefix, log)] as const));
  const parts: Parts = { types, keys, failFast, blocking, jobs, doorbell, log, clock };
  const announcements = new Announcements(() => failFastConnection(redisUrl, log, options.limits), keys, log);
  const consumers = new Set<Consumer>();
  return {
    ...pendingOf(parts, options.clock),
    gateStates: (ids) => reach(() => gateStates(failFast, prefix, ids)),
    workers: () => reach(() => workersSeen(failFast, keys, types)),
    ...switches(parts),
    ...listening(announcements),
    ...working(parts, consumers),
    ...asksOf(parts, announcements),
    async close() {
      await Promise.all([...consumers].map((consumer) => consumer.close(0)));
      await Promise.all([...jobs.values()].map((one) => one.close()));
      announcements.close();
      blocking.disconnectAll();
      failFast.disconnect();
    },
  };
}

function asksOf({ failFast: redis, keys, doorbell, log }: Parts, announcements: Announcements): Asks {
  const parts = { redis, keys, announcements, doorbell, log };
  return { ask: asking(parts), answer: answering(parts), answerWaiting: answeringWaiting(parts) };
}

type PendingCalls = 'enqueue' | 'reserve' | 'release' | 'pendingCount' | 'missing' | 'forget' | 'promoteStranded';

function pendingOf(parts: Parts, clock: Clock | undefined): Pick<SyncQueue, PendingCalls> {
  const pending = openPending(parts.failFast, parts.keys, clock);
  return {
    enqueue: (operations, capacity) =>
      reach(async () => {
        const { refused, types } = await enqueue(pending, (type) => jobsOf(parts, type), operations, capacity);
        await ringAll(parts.doorbell, types, parts.log);
        return { refused };
      }),
    reserve: (operation, capacity) => reach(() => pending.reserve(operation, capacity)),
    release: (id, generation) => reach(() => pending.release(id, generation)),
    pendingCount: () => reach(() => pending.count()),
    missing: (operations) => reach(() => pending.missing(operations)),
    forget: (cursor, isDirty) => pending.forget(cursor, isDirty),
    promoteStranded: () => reach(() => promoteStranded(parts)),
  };
}

function switches({ failFast, keys, types, jobs, doorbell, log }: Parts): Pick<SyncQueue, 'pause' | 'resume' | 'wake'> {
  const wake = () => reach(async () => ringAll(doorbell, await dueTypes(failFast, keys, types), log));
  return {
    wake,
    async pause() {
      await reach(() => setPaused(jobs.values(), true));
      await reach(() => failFast.sadd(keys.paused, 'all'));
    },
    async resume() {
      const changed = await reach(() => setPaused(jobs.values(), false));
      await reach(() => failFast.del(keys.paused));
      if (changed) await wake();
    },
  };
}

function listening(announcements: Announcements): Pick<SyncQueue, 'listen' | 'settled'> {
  return {
    listen: (id) => announcements.listen(id),
    async settled(id, timeoutMs, signal) {
      const listener = announcements.listen(id);
      try {
        return await listener.wait(timeoutMs, signal);
      } finally {
        listener.stop();
      }
    },
  };
}
