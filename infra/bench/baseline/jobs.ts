import { Queue } from 'bullmq';
import { Redis } from 'ioredis';

/** Bare BullMQ jobs: what the queue of the sync is compared with. */
export interface BareJobs {
  add(count: number): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Jobs that wait or run. */
  left(): Promise<number>;
  close(): Promise<void>;
}

export const bareQueueName = 'bare';
const bulkSize = 1_000;

export function openBareJobs(redisUrl: string): BareJobs {
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue(bareQueueName, { connection });
  return {
    async add(count) {
      for (let from = 0; from < count; from += bulkSize) {
        const ids = Array.from({ length: Math.min(bulkSize, count - from) }, (_, index) => from + index);
        await queue.addBulk(ids.map((id) => ({ name: 's', data: { a: String(id), d: '1' } })));
      }
    },
    pause: () => queue.pause(),
    resume: () => queue.resume(),
    left: () => queue.getJobCountByTypes('wait', 'active'),
    async close() {
      await queue.close();
      connection.disconnect();
    },
  };
}
