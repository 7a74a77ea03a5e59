import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { Log } from '../core/log.ts';
import { type JobData, openJobs } from './parts.ts';
import { failFastConnection } from './redis/connection.ts';

/** The queues for the board: to look at, not to change. */
export interface BoardQueues {
  readonly adapters: readonly BullMQAdapter[];
  close(): Promise<void>;
}

export interface BoardQueuesOptions {
  readonly redisUrl: string;
  readonly prefix: string;
  readonly types: readonly string[];
  readonly log: Log;
}

export function openBoardQueues({ redisUrl, prefix, types, log }: BoardQueuesOptions): BoardQueues {
  const redis = failFastConnection(redisUrl, log);
  const queues = types.map((type) => ({ type, jobs: openJobs(type, redis, prefix, log) }));
  const adapters = queues.map(({ type, jobs }) => {
    const adapter = new BullMQAdapter(jobs, { readOnlyMode: true, displayName: type });
    adapter.setFormatter('data', shownData);
    adapter.setFormatter('name', ({ id }) => `operation ${id ?? ''}`);
    adapter.setFormatter('returnValue', () => undefined);
    adapter.setFormatter('progress', () => undefined);
    return adapter;
  });
  return {
    adapters,
    async close() {
      await Promise.all(queues.map(({ jobs }) => jobs.close()));
      redis.disconnect();
    },
  };
}

/** Whatever a job of another release may hold, its two ids are all that is shown. */
const shownData = ({ a, d }: Partial<JobData>): object => ({ association: a, destination: d });
