import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { readConfig } from '#core/config.ts';
import { bareQueueName } from '../baseline/jobs.ts';
import { serveParent } from './parent.ts';

/** A BullMQ worker that does nothing with its jobs. */
await serveParent(z.object({}), async () => {
  const { REDIS_URL = '', KEYFERRY_SYNC_CONCURRENCY } = readConfig();
  const connection = new Redis(REDIS_URL, { maxRetriesPerRequest: null });
  const worker = new Worker(bareQueueName, async () => {}, {
    connection,
    concurrency: KEYFERRY_SYNC_CONCURRENCY,
    removeOnComplete: { count: 0 },
  });
  await worker.waitUntilReady();
  return {
    ready: {},
    async close() {
      await worker.close(true);
      connection.disconnect();
    },
  };
});
