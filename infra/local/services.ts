import { join } from 'node:path';
import { closedFolder } from './folder.ts';
import { keepRunning } from './kept.ts';
import { startPostgres } from './postgres/start.ts';
import { startRedis } from './redis/start.ts';
import type { LocalServer } from './server.ts';

/** PostgreSQL and Redis of an instance on this machine. */
export interface LocalServices {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Resolves when one of our servers cannot be kept running. */
  readonly failed: Promise<Error>;
  stop(): Promise<void>;
}

export interface Given {
  readonly databaseUrl?: string | undefined;
  readonly redisUrl?: string | undefined;
}

/**
 * Starts the servers that are not given by a URL, and restarts them when they end unexpectedly. The data stay in `dataDir`, which other
 * users may not enter. `report` is called with the events of the servers.
 */
export async function startServices(
  dataDir: string,
  given: Given,
  report: (text: string) => void,
): Promise<LocalServices> {
  await closedFolder(dataDir);
  const failed = Promise.withResolvers<Error>();
  const ends: (() => Promise<void>)[] = [];
  const stop = async () => {
    await Promise.all(ends.map((end) => end()));
  };
  const keep = async (name: string, start: (port: number | undefined) => Promise<LocalServer>) => {
    const server = await keepRunning({ name, start, report });
    ends.push(server.stop);
    void server.failed.then(failed.resolve);
    return server.url;
  };
  const options = (name: string, port: number | undefined) => ({
    dataDir: join(dataDir, name),
    ...(port === undefined ? {} : { port }),
  });
  const [database, redis] = await Promise.allSettled([
    given.databaseUrl ?? keep('PostgreSQL', (port) => startPostgres(options('postgres', port))),
    given.redisUrl ?? keep('Redis', (port) => startRedis(options('redis', port))),
  ]);
  if (database.status === 'fulfilled' && redis.status === 'fulfilled') {
    return { databaseUrl: database.value, redisUrl: redis.value, failed: failed.promise, stop };
  }
  await stop();
  throw database.status === 'rejected' ? database.reason : (redis as PromiseRejectedResult).reason;
}
