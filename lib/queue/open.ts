import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { Announcements, type Listener } from './announcements.ts';
import type { AttemptParts } from './attempt.ts';
import { type ConnectionLimits, hastyConnection, patientConnection } from './connection.ts';
import { consume } from './consume.ts';
import type { Consumer, Doorbell, Handler, Queue } from './contract.ts';
import { ringAll, silentDoorbell } from './doorbell.ts';
import { drain } from './drain.ts';
import { lookAtDue } from './due.ts';
import { enqueue } from './enqueue.ts';
import { type Jobs, openJobs } from './jobs.ts';
import { keysBelow, usualPrefix } from './keys.ts';
import { finishing, openPending } from './pending.ts';
import { checkServer } from './server-check.ts';
import { reach } from './unavailable.ts';

export interface QueueOptions {
  readonly redisUrl: string;
  /** Destination types; each has its queue. */
  readonly types: readonly string[];
  /** A hash tag, such as `{keyferry}`: it keeps all keys in one slot of a Redis Cluster. */
  readonly prefix?: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly doorbell?: Doorbell;
  readonly limits?: ConnectionLimits;
}

/** What the room offers beyond its contract. */
export interface SyncQueue extends Queue {
  listen(id: string): Listener;
  /** Rings for each type with jobs to take, put aside and due now, or left behind by a dead worker. For the sweep. */
  wake(): Promise<void>;
}

/**
 * Opens the queues. Redis need not be there: calls then fail with AppError `unavailable` within the limit, consumers
 * wait for it.
 *
 * @throws Error when the prefix is no hash tag.
 */
export async function openQueue(options: QueueOptions): Promise<SyncQueue> {
  const { redisUrl, types, prefix = usualPrefix, log, clock, doorbell = silentDoorbell } = options;
  if (!/^\{[^{}]+\}$/.test(prefix)) throw new Error(`the queue's prefix ${prefix} is no hash tag such as {keyferry}`);
  const keys = keysBelow(prefix);
  const hasty = hastyConnection(redisUrl, log, options.limits);
  const patient = patientConnection(redisUrl, log);
  checkServer(hasty, log);
  const jobs = new Map(types.map((type) => [type, openJobs(type, hasty, prefix, log)] as const));
  const pending = openPending(hasty, keys, clock);
  const announcements = new Announcements(() => patientConnection(redisUrl, log), keys, log);
  const consumers = new Set<Consumer>();

  function jobsOf(type: string): Jobs {
    const found = jobs.get(type);
    if (found === undefined) throw new Error(`no queue of type ${type}`);
    return found;
  }

  function attemptParts(type: string, handler: Handler): AttemptParts {
    const hasSuccessor = async (id: string) => (await patient.exists(keys.successor(type, id))) === 1;
    return { type, handler, finish: finishing(patient, keys, type), hasSuccessor, jobs: jobsOf(type), log };
  }

  /** Answers whether a queue was in the other state. The flag is in Redis only, so it may be lost with Redis's data. */
  async function setPaused(paused: boolean): Promise<boolean> {
    const states = await Promise.all([...jobs.values()].map(async (one) => ({ one, now: await one.isPaused() })));
    const others = states.filter(({ now }) => now !== paused);
    await Promise.all(others.map(({ one }) => (paused ? one.pause() : one.resume())));
    return others.length > 0;
  }

  async function wake(): Promise<void> {
    const looks = types.map(async (type) => ({ type, due: await lookAtDue(hasty, keys, type) }));
    const due = (await Promise.all(looks)).filter((look) => look.due.takeable || look.due.orphaned);
    await ringAll(
      doorbell,
      due.map(({ type }) => type),
      log,
    );
  }

  return {
    enqueue: (operations, capacity) =>
      reach(async () => {
        const { refused, types: rung } = await enqueue(pending, jobsOf, operations, capacity);
        await ringAll(doorbell, rung, log);
        return { refused };
      }),
    reserve: (operation, capacity) => reach(() => pending.reserve(operation, capacity)),
    release: (id, generation) => reach(() => pending.release(id, generation)),
    pendingCount: () => reach(() => pending.count()),
    missing: (operations) => reach(() => pending.missing(operations)),
    forget: (cursor, isDirty) => pending.forget(cursor, isDirty),
    pause: () =>
      reach(async () => {
        await setPaused(true);
      }),
    resume: () =>
      reach(async () => {
        if (await setPaused(false)) await wake();
      }),
    wake: () => reach(wake),
    async announce(id) {
      // Who does not hear of it asks the store at its time-out.
      await hasty.publish(keys.channel(id), '').catch((cause: Error) => {
        log.debug({ error: cause.message }, 'could not announce');
      });
    },
    listen: (id) => announcements.listen(id),
    async settled(id, timeoutMs, signal) {
      const listener = announcements.listen(id);
      try {
        return await listener.wait(timeoutMs, signal);
      } finally {
        listener.stop();
      }
    },
    consume(type, handler, consumeOptions) {
      const consumer = consume(attemptParts(type, handler), patient, prefix, consumeOptions);
      consumers.add(consumer);
      return consumer;
    },
    drain: (type, handler, drainOptions) => {
      const look = () => lookAtDue(patient, keys, type);
      const parts = { ...attemptParts(type, handler), connection: patient, prefix, clock, lookAtDue: look };
      return drain(parts, drainOptions);
    },
    async close() {
      await Promise.all([...consumers].map((consumer) => consumer.close(0)));
      await Promise.all([...jobs.values()].map((one) => one.close()));
      announcements.close();
      patient.disconnectAll();
      hasty.disconnect();
    },
  };
}
