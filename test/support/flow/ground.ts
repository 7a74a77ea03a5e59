import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { openApi } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { silentLog } from '#core/log/log.ts';
import type { CloudASmFake } from '#destinations/cloud-a-sm/fake/index.ts';
import { startFake } from '#destinations/cloud-a-sm/fake/index.ts';
import { ApiClient } from '#infra/demo/client.ts';
import { freePort } from '#infra/local/child.ts';
import { startPostgres } from '#infra/local/postgres/start.ts';
import { startRedis } from '#infra/local/redis/start.ts';
import type { LocalServer } from '#infra/local/server.ts';
import { patience } from '../measures/patience.ts';
import { testDatabase } from '../services.ts';
import { type Answer, ask } from './calls/ask.ts';
import { type Program, type Started, startProgram } from './processes.ts';

export const type = 'cloud-a-sm';

/** A server that the test kills and starts again. It keeps its port and data. */
export interface Suffering {
  readonly url: string;
  /** Ends it at once, without a shutdown. */
  kill(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** What the processes of a test need: a database, a Redis and a stand-in. Processes end with their test or with the file. */
export interface Ground {
  readonly environment: Readonly<Record<string, string>>;
  readonly rootToken: string;
  readonly fake: CloudASmFake;
  readonly redis: Suffering;
  /** Available with `ownPostgres` only. */
  readonly postgres: Suffering;
  /** Queries the database directly. */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  start(program: Program, changes?: Readonly<Record<string, string>>, args?: readonly string[]): Promise<Started>;
  ask(api: Started, method: string, path: string, body?: object): Promise<Answer>;
  /** Throws unless the request succeeds; returns `data`. */
  client(api: Started): ApiClient;
  /** Creates a destination that reaches the stand-in. */
  destination(api: Started, name: string, changes?: object): Promise<void>;
  /** The number of associations that are not synced yet. */
  dirty(): Promise<number>;
  /** Waits until all associations are synced. */
  untilQuiet(): Promise<void>;
}

/** With these settings the service recovers from any fault within seconds. */
const settings = {
  KEYFERRY_SYNC_RETRY_MS_FIRST: '50',
  KEYFERRY_SYNC_RETRY_MS_MAX: '500',
  KEYFERRY_SYNC_ATTEMPTS_MAX: '20',
  KEYFERRY_SYNC_CONNECT_MS_MAX: '1000',
  KEYFERRY_SYNC_REQUEST_MS_MAX: '1000',
  KEYFERRY_SYNC_OPERATION_MS_MAX: '1500',
  KEYFERRY_SYNC_LOCK_MS: '2800',
  KEYFERRY_SYNC_WAIT_MS: '0',
  KEYFERRY_SWEEP_MS: '200',
  KEYFERRY_SHUTDOWN_MS_MAX: '1500',
  KEYFERRY_DATABASE_POOL_SIZE: '5',
  PORT: '0',
};

export interface GroundOptions {
  readonly ownPostgres?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
}

/** Called at the top of a test file. */
export function groundOf(options: GroundOptions = {}): Ground {
  let opened: Open | undefined;
  const started = (): Open => {
    if (opened === undefined) throw new Error('there is no ground yet');
    return opened;
  };
  beforeAll(async () => {
    opened = await openGround(options);
  });
  afterEach(({ task }) => {
    opened?.ground.fake.heal();
    if (task.result?.state === 'fail') process.stderr.write(`${opened?.report() ?? ''}\n`);
  });
  afterAll(() => opened?.close());
  return new Proxy({} as Ground, { get: (_target, member) => Reflect.get(started().ground, member) });
}

interface Open {
  readonly ground: Ground;
  /** The last log lines of each process, for a test that failed. */
  report(): string;
  close(): Promise<void>;
}

async function openGround({ ownPostgres = false, settings: own = {} }: GroundOptions): Promise<Open> {
  const ends: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), 'keyferry-faults-'));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    const [postgresPort, redisPort] = [await freePort(), await freePort()];
    const redis = await suffering(() => startRedis({ dataDir: join(folder, 'redis'), port: redisPort }));
    ends.push(redis.stop);
    const postgres = ownPostgres
      ? await suffering(() => startPostgres({ dataDir: join(folder, 'postgres'), port: postgresPort }))
      : shared;
    ends.push(postgres.stop);
    const environment = {
      ...settings,
      ...own,
      DATABASE_URL: ownPostgres ? postgres.url : await testDatabase(),
      REDIS_URL: redis.url,
      KEYFERRY_SEAL_KEY: randomBytes(32).toString('hex'),
      KEYFERRY_NETWORK_ALLOWED: 'all',
    };
    const rootToken = await initialised(environment);
    const pool = new pg.Pool({ connectionString: environment.DATABASE_URL, max: 2 });
    pool.on('error', () => {});
    ends.push(() => pool.end());
    const fake = await startFake();
    ends.push(fake.close);
    const processes: Started[] = [];
    ends.push(() => Promise.all(processes.map((one) => one.stop())));
    const query: Ground['query'] = async (text, values = []) => (await pool.query(text, [...values])).rows;
    const ground: Ground = {
      environment,
      rootToken,
      fake,
      redis,
      postgres,
      query,
      async start(program, changes = {}, args = []) {
        const which = program === 'worker' && args.length === 0 ? ['--type', type] : args;
        const one = await startProgram(program, { environment: { ...environment, ...changes }, args: which });
        processes.push(one);
        return one;
      },
      ask: (api, method, path, body) => ask({ address: api.ready, token: rootToken, method, path, body }),
      client: (api) => new ApiClient(api.ready, rootToken, patience.conditionMs),
      async destination(api, name, changes = {}) {
        await ground.client(api).write(`sys/sync/destinations/${type}/${name}`, { ...fake.destination, ...changes });
      },
      untilQuiet: () =>
        until(
          async () => (await ground.dirty()) === 0,
          () => 'work is left',
        ),
      dirty: async () => {
        const rows = await query<{ n: number }>(
          'select count(*)::int as n from associations where generation > observed_generation',
        );
        return rows[0]?.n ?? 0;
      },
    };
    const report = () => processes.flatMap(({ pid, err }) => err.slice(-20).map((line) => `${pid} ${line}`)).join('\n');
    return { ground, report, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Polls until the condition holds. `seen` describes the last state for the error. */
export async function until(holds: () => boolean | Promise<boolean>, seen: () => string = () => ''): Promise<void> {
  const deadline = Date.now() + patience.conditionMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited ${patience.conditionMs} ms; ${seen()}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

/** The test run's own server must not be killed. */
const shared: Suffering = {
  url: '',
  kill: () => Promise.reject(new Error('this ground has no PostgreSQL of its own')),
  start: () => Promise.reject(new Error('this ground has no PostgreSQL of its own')),
  stop: async () => {},
};

async function suffering(open: () => Promise<LocalServer>): Promise<Suffering> {
  let server = await open();
  return {
    url: server.url,
    kill: () => server.kill(),
    stop: () => server.stop(),
    async start() {
      server = await open();
    },
  };
}

async function initialised(environment: Readonly<Record<string, string>>): Promise<string> {
  const api = await openApi({ config: readConfig(environment), log: silentLog });
  try {
    return (await api.prepareForDevelopment(undefined)) ?? '';
  } finally {
    await api.close();
  }
}
