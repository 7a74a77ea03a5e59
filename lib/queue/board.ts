import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { Log } from '#core/log/log.ts';
import { type JobData, openJobs } from './parts.ts';
import { failFastConnection } from './redis/connection.ts';

/** Read-only access to the queues for the board. */
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

/** Shows only the two ids, whatever else a job of another release may contain. */
const shownData = ({ a, d }: Partial<JobData>): object => ({ association: a, destination: d });
