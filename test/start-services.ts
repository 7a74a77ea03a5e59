import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findPooler, isPoolerRelease } from '#infra/local/pooler/program.ts';
import { startPooler } from '#infra/local/pooler/start.ts';
import { startPostgres } from '#infra/local/postgres/start.ts';
import { startRedis } from '#infra/local/redis/start.ts';
import type { LocalServer } from '#infra/local/server.ts';
import { fillCompileCache, shareCompileCache } from './support/measures/compile-cache.ts';
import { makeTemplate } from './support/postgres/template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgresUrl: string;
    /** Folder of the server's write-ahead log. */
    readonly postgresWal: string;
    /** For files that outlive a test, such as the log of a service that still writes. It goes with the servers. */
    readonly scratchFolder: string;
    /** The database that new databases with the newest schema are copied from. */
    readonly migratedTemplate: string;
    readonly redisUrl: string;
  }
}

/** The PgBouncer release that all tests connect through, if any. */
const release = process.env['KEYFERRY_TEST_POOLER'];

/** One PostgreSQL and one Redis for the whole run; each test file takes its own database and key prefix. */
export default async function startServices(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-test-'));
  const [dataDir, scratch] = [join(folder, 'postgres'), join(folder, 'scratch')];
  await mkdir(scratch);
  shareCompileCache(join(folder, 'compiled'));
  const startsPrograms = project.vitest.projects.some(({ name }) => name === 'system');
  const [postgres, redis] = await Promise.all([
    startPostgres({ dataDir, volatile: true, createsDatabases: true }),
    startRedis(),
    startsPrograms ? fillCompileCache() : undefined,
  ]);
  const template = await makeTemplate(postgres.url);
  const pooler = release === undefined ? undefined : await poolerBefore(postgres, release);
  project.provide('postgresUrl', pooler?.url ?? postgres.url);
  project.provide('postgresWal', join(dataDir, 'pg_wal'));
  project.provide('scratchFolder', scratch);
  project.provide('migratedTemplate', template);
  project.provide('redisUrl', redis.url);
  return async () => {
    await pooler?.stop();
    await Promise.all([postgres.stop(), redis.stop()]);
    await rm(folder, { recursive: true, force: true });
  };
}

/** A pooler with few connections for each of many databases. It closes those of finished test files soon. */
async function poolerBefore(postgres: LocalServer, wanted: string): Promise<LocalServer> {
  const program = isPoolerRelease(wanted) ? await findPooler(wanted) : `PgBouncer release ${wanted} is not available`;
  if (typeof program === 'string') throw new Error(program);
  const settings = { server_idle_timeout: 5, server_login_retry: 1 };
  return startPooler({ program, databaseUrl: postgres.url, serverConnections: 4, settings });
}
