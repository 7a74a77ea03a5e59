import { type Clock, systemClock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Consumer, Doorbell, Queue } from './contract.ts';
import { jobsOf, keysBelow, openJobs, type Parts, usualPrefix } from './parts.ts';
import { enqueue, openPending } from './pending/pending.ts';
import { takeUpStranded } from './pending/stranded.ts';
import { reach } from './redis/call.ts';
import { blockingConnection, type ConnectionLimits, failFastConnection } from './redis/connection.ts';
import { checkServer } from './redis/server-check.ts';
import { Announcements, type Listener } from './wake/announcements.ts';
import { ringAll, silentDoorbell } from './wake/doorbell.ts';
import { dueTypes } from './wake/due.ts';
import { setPaused } from './work/pausing.ts';
import { working } from './work/working.ts';

export interface QueueOptions {
  readonly redisUrl: string;
  /** Destination types; each has its queue. */
  readonly types: readonly string[];
  /** A hash tag, such as `{keyferry}`: it keeps all keys in one slot of a Redis Cluster. */
  readonly prefix?: string;
  readonly log: Log;
  /** For tests. Absent: that of the process for its own deadlines, that of Redis for what processes share. */
  readonly clock?: Clock;
  readonly doorbell?: Doorbell;
  readonly limits?: ConnectionLimits;
}

/** What the module offers beyond its contract. */
export interface SyncQueue extends Queue {
  listen(id: string): Listener;
  /** Rings for each type with jobs to take, delayed and due now, or left behind by a dead worker. For the sweep. */
  wake(): Promise<void>;
}

/**
 * Opens the queues. Redis need not be there: calls then fail with AppError `unavailable` within the limit, consumers
 * wait for it.
 *
 * @throws Error when the prefix is no hash tag.
 */
export async function openQueue(options: QueueOptions): Promise<SyncQueue> {
  const { redisUrl, types, prefix = usualPrefix, log, clock = systemClock, doorbell = silentDoorbell } = options;
  if (!/^\{[^{}]+\}$/.test(prefix)) throw new Error(`the queue's prefix ${prefix} is no hash tag such as {keyferry}`);
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
    ...switches(parts),
    ...listening(announcements),
    ...working(parts, consumers),
    async close() {
      await Promise.all([...consumers].map((consumer) => consumer.close(0)));
      await Promise.all([...jobs.values()].map((one) => one.close()));
      announcements.close();
      blocking.disconnectAll();
      failFast.disconnect();
    },
  };
}

type PendingCalls = 'enqueue' | 'reserve' | 'release' | 'pendingCount' | 'missing' | 'forget' | 'takeUpStranded';

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
    takeUpStranded: () => reach(() => takeUpStranded(parts)),
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
