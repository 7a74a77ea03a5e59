import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import { z } from 'zod';
import { coalesce } from '#core/concurrency/coalesce.ts';
import { readConfig } from '#core/config.ts';
import { type BareClaim, bareSync } from '../baseline/sync.ts';
import { serveParent } from './parent.ts';

/** The same concurrency as our worker. */
const limits = { batchSizeMax: 64, batchesMax: 2 };

const parameters = z.object({ queueName: z.string(), prefix: z.string(), pending: z.string() });

/**
 * A BullMQ worker on the queue of the sync that claims, reads, writes back and updates the pending set, and does nothing else: no
 * gate, no plan, no encryption, no push.
 */
await serveParent(parameters, async ({ queueName, prefix, pending }) => {
  const { REDIS_URL = '', DATABASE_URL, KEYFERRY_SYNC_CONCURRENCY: concurrency } = readConfig();
  const connection = new Redis(REDIS_URL, { maxRetriesPerRequest: null, enableAutoPipelining: true });
  const database = new pg.Pool({ connectionString: DATABASE_URL, max: 4 });
  const sync = bareSync(database);
  const each =
    <T>(work: (items: readonly T[]) => Promise<unknown>) =>
    async (items: readonly T[]) => {
      await work(items);
      return items;
    };
  const claim = coalesce(async (ids: readonly string[]) => {
    const claims = await sync.claim(ids);
    return ids.map((id) => claims.get(id));
  }, limits);
  const read = coalesce(each<BareClaim>(sync.read), limits);
  const finish = coalesce(each<BareClaim>(sync.finish), limits);
  const settle = coalesce(
    each<string>((ids) => connection.hdel(pending, ...ids)),
    limits,
  );
  const work = async ({ data }: { readonly data: { readonly a: string } }) => {
    const claimed = await claim(data.a);
    if (claimed !== undefined) await finish(await read(claimed));
    await settle(data.a);
  };
  const worker = new Worker(queueName, work, { connection, prefix, concurrency, removeOnComplete: { count: 0 } });
  await worker.waitUntilReady();
  return {
    ready: {},
    async close() {
      await worker.close(true);
      connection.disconnect();
      await database.end();
    },
  };
});
