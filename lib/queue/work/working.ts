import type { Consumer, Handler, Queue } from '../contract.ts';
import { type Jobs, jobsOf, type Parts } from '../parts.ts';
import { finishing } from '../pending/pending.ts';
import { readDue } from '../wake/due.ts';
import { consume } from './consume.ts';
import { drain } from './drain.ts';
import type { JobParts } from './job.ts';
import { type Presence, presenceOf } from './presence.ts';
import { within } from './within.ts';

/** The two ways to process a queue. Opened consumers are added to `consumers`, to be closed with the queue. */
export function working(parts: Parts, consumers: Set<Consumer>): Pick<Queue, 'consume' | 'drain'> {
  const { blocking, keys, clock } = parts;
  const drainers = new Map<string, Presence>();
  return {
    consume(type, handler, options) {
      const consumer = consume(
        { ...jobParts(parts, type, handler), keys: keys.jobs(type) },
        blocking,
        keys.prefix,
        options,
      );
      const shown = present(consumer, presenceOf(parts.failFast, keys, type, parts.log), options.atRest === true);
      consumers.add(shown);
      return shown;
    },
    async drain(type, handler, options) {
      const own = {
        connection: blocking,
        prefix: keys.prefix,
        keys: keys.jobs(type),
        clock,
        readDue: () => readDue(blocking, keys, type),
      };
      const presence = drainers.get(type) ?? presenceOf(parts.failFast, keys, type, parts.log);
      drainers.set(type, presence);
      // A function may be frozen when it returns, so nothing of it may be under way then.
      const [drained] = await Promise.all([
        drain({ ...jobParts(parts, type, handler), ...own }, options),
        presence.seen(),
      ]);
      return drained;
    },
  };
}

/** How long a consumer that is closed waits to say that it is no longer there, in milliseconds: Redis may be away. */
const endMsMax = 500;

/** A consumer at rest takes no jobs, so it does not count as a worker. */
function present(consumer: Consumer, presence: Presence, atRestFirst: boolean): Consumer {
  if (!atRestFirst) presence.begin();
  return {
    rest(atRest) {
      if (atRest) void presence.end();
      else presence.begin();
      consumer.rest(atRest);
    },
    async close(graceMs) {
      await Promise.all([within(presence.end(), endMsMax), consumer.close(graceMs)]);
    },
  };
}

function jobParts(parts: Parts, type: string, handler: Handler): JobParts {
  const { blocking, keys, log } = parts;
  const hasSuccessor = async (id: string) => (await blocking.exists(keys.successor(type, id))) === 1;
  return { type, handler, finish: finishing(blocking, keys, type), hasSuccessor, jobs: jobsOf(parts, type), log };
}

/**
 * Pauses or resumes queues; returns whether any of them changed its state. The flag exists only in Redis and may be lost with its data, so the
 * sweep calls this in each round; queues in the right state are left alone.
 */
export async function setPaused(queues: Iterable<Jobs>, paused: boolean): Promise<boolean> {
  const states = await Promise.all([...queues].map(async (jobs) => ({ jobs, now: await jobs.isPaused() })));
  const others = states.filter(({ now }) => now !== paused);
  await Promise.all(others.map(({ jobs }) => (paused ? jobs.pause() : jobs.resume())));
  return others.length > 0;
}
