import { join } from 'node:path';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';

/** What an instance on this machine stands on. */
export interface LocalServices {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  stop(): Promise<void>;
}

/** Starts what is not given by its URL; the data stays in `dataDir`. */
export async function startServices(
  dataDir: string,
  given: { readonly databaseUrl?: string | undefined; readonly redisUrl?: string | undefined },
): Promise<LocalServices> {
  const ends: (() => Promise<void>)[] = [];
  const stop = async () => {
    await Promise.all(ends.map((end) => end()));
  };
  const start = async (service: Promise<{ readonly url: string; stop(): Promise<void> }>) => {
    const { url, stop: end } = await service;
    ends.push(end);
    return url;
  };
  const [database, redis] = await Promise.allSettled([
    given.databaseUrl ?? start(startPostgres({ dataDir: join(dataDir, 'postgres') })),
    given.redisUrl ?? start(startRedis({ dataDir: join(dataDir, 'redis') })),
  ]);
  if (database.status === 'fulfilled' && redis.status === 'fulfilled') {
    return { databaseUrl: database.value, redisUrl: redis.value, stop };
  }
  await stop();
  throw database.status === 'rejected' ? database.reason : (redis as PromiseRejectedResult).reason;
}
