import type { Consumer, Handler, Queue } from '../contract.ts';
import { jobsOf, type Parts } from '../parts.ts';
import { finishing } from '../pending/pending.ts';
import { lookAtDue } from '../wake/due.ts';
import { consume } from './consume.ts';
import { drain } from './drain.ts';
import type { JobParts } from './job.ts';

/** The two ways to work a queue off. `consumers` gets what has to be closed. */
export function working(parts: Parts, consumers: Set<Consumer>): Pick<Queue, 'consume' | 'drain'> {
  const { blocking, keys, clock } = parts;
  return {
    consume(type, handler, options) {
      const consumer = consume(
        { ...jobParts(parts, type, handler), keys: keys.jobs(type) },
        blocking,
        keys.prefix,
        options,
      );
      consumers.add(consumer);
      return consumer;
    },
    drain(type, handler, options) {
      const look = () => lookAtDue(blocking, keys, type);
      const own = { connection: blocking, prefix: keys.prefix, keys: keys.jobs(type), clock, lookAtDue: look };
      return drain({ ...jobParts(parts, type, handler), ...own }, options);
    },
  };
}

function jobParts(parts: Parts, type: string, handler: Handler): JobParts {
  const { blocking, keys, log } = parts;
  const hasSuccessor = async (id: string) => (await blocking.exists(keys.successor(type, id))) === 1;
  return { type, handler, finish: finishing(blocking, keys, type), hasSuccessor, jobs: jobsOf(parts, type), log };
}
