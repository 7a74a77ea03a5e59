import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../infra/local/postgres/start.ts';
import { startRedis } from '../infra/local/redis/start.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgresUrl: string;
    /** Folder of its write-ahead log. */
    readonly postgresWal: string;
    readonly redisUrl: string;
  }
}

/** One PostgreSQL and one Redis for the whole run; each test file takes its own database and key prefix. */
export default async function startServices(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-test-'));
  const dataDir = join(folder, 'postgres');
  const [postgres, redis] = await Promise.all([
    startPostgres({ dataDir, volatile: true, createsDatabases: true }),
    startRedis(),
  ]);
  project.provide('postgresUrl', postgres.url);
  project.provide('postgresWal', join(dataDir, 'pg_wal'));
  project.provide('redisUrl', redis.url);
  return async () => {
    await Promise.all([postgres.stop(), redis.stop()]);
    await rm(folder, { recursive: true, force: true });
  };
}
