import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { z } from 'zod';
import { type Api, openApi } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { silentLog } from '#core/log/log.ts';
import { startServices } from '../local/services.ts';
import { type Process, startProcess } from './processes/process.ts';

/** The setup of the measurements: a PostgreSQL and a Redis that keep their data, and a service with a mount `secret/`. */
export interface Stage {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly rootToken: string;
  readonly folder: string;
  /** Settings for the processes, as environment variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** Direct access to the store, for what the API cannot do. */
  readonly database: pg.Pool;
  /** In this process. */
  readonly api: Pick<Api, 'inject' | 'store'>;
  /** A request to the API without a socket. @throws Error with the answer's text unless it is a success */
  write(path: string, body: object): Promise<void>;
  /** Starts a process that ends with the stage at the latest. */
  start<Ready extends z.ZodType>(name: string, ready: Ready, parameters?: object): Promise<Process<z.output<Ready>>>;
  close(): Promise<void>;
}

/** `report` is called with messages about the servers that the service uses. */
export async function openStage(profileDir: string | undefined, report: (text: string) => void): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-bench-'));
  const ends = [() => rm(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const { databaseUrl, redisUrl, stop } = await startServices(folder, {}, report);
    ends.push(stop);
    const environment = settings(databaseUrl, redisUrl);
    const api = await openApi({ config: readConfig(environment), log: silentLog });
    ends.push(api.close);
    const rootToken = await api.prepareForDevelopment(undefined);
    if (rootToken === undefined) throw new Error('a new store has no root token');
    const database = new pg.Pool({ connectionString: databaseUrl, max: 4 });
    ends.push(() => database.end());
    return {
      databaseUrl,
      redisUrl,
      rootToken,
      folder,
      environment,
      database,
      api,
      close,
      write: (path, body) => write(api, rootToken, path, body),
      async start(name, ready, parameters = {}) {
        const started = await startProcess(name, ready, { parameters, environment, profileDir });
        ends.push(() => started.end());
        return started;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const settings = (databaseUrl: string, redisUrl: string) => ({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  KEYFERRY_SEAL_KEY: randomBytes(32).toString('hex'),
  KEYFERRY_NETWORK_ALLOWED: 'all',
  KEYFERRY_LOG_LEVEL: 'warn',
  // Associations are created by the thousand, without waiting for each push.
  KEYFERRY_SYNC_WAIT_MS: '0',
  // One client sends all requests.
  KEYFERRY_WORKSPACE_REQUESTS_PER_SECOND: '0',
});

async function write(api: Api, token: string, path: string, body: object): Promise<void> {
  const url = `/v1/${path}`;
  const answer = await api.inject({ method: 'POST', url, headers: { 'x-service-token': token }, payload: body });
  if (answer.statusCode >= 300) throw new Error(`POST ${path}: ${answer.statusCode} ${answer.payload}`);
}
