import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApi } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { silentLog } from '#core/log/log.ts';
import type { Fake } from '#destinations/fake.ts';
import { definitions } from '#destinations/index.ts';
import { loadFake } from '#destinations/load.ts';
import type { RepoHostFake } from '#destinations/repo-host/fake/index.ts';
import { freePort } from '#infra/local/child.ts';
import type { PoolerProgram } from '#infra/local/pooler/program.ts';
import { startPooler } from '#infra/local/pooler/start.ts';
import { startPostgres } from '#infra/local/postgres/start.ts';
import type { LocalServer } from '#infra/local/server.ts';
import { newPair } from '../support/postgres/pair.ts';
import { KeptProcess } from './child.ts';
import { openRedis, type RedisKind } from './faults/redis.ts';

/** A repository holds at most a hundred secrets, which a long run outgrows; an organization holds a thousand. */
function roomy(fake: Fake): Fake {
  if (!('at' in fake)) return fake;
  const { organizationDestination: destination, at, ...rest } = fake as RepoHostFake;
  return { ...rest, ...at('organization'), destination };
}

/** Everything that faults are injected into: servers, the service's processes, and a stand-in for each type. */
export interface World {
  readonly folder: string;
  readonly token: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Addresses of the API's processes. */
  readonly addresses: readonly string[];
  readonly processes: readonly KeptProcess[];
  readonly fakes: ReadonlyMap<string, Fake>;
  /** Problems during the run, whatever the final state. */
  readonly complaints: string[];
  /** A standby takes the place of a killed PostgreSQL. */
  readonly failsOver: boolean;
  /** Returns what was done. */
  restartPostgres(): Promise<string>;
  restartRedis(keepData: boolean): Promise<void>;
  /** `keep` leaves the folder with the logs. */
  close(keep: boolean): Promise<void>;
}

/** How PostgreSQL runs. By default it is one server without a pooler. */
export interface Ground {
  /** One server by default. */
  readonly redis?: RedisKind;
  readonly pooler?: PoolerProgram | undefined;
  /** With a synchronous standby, which takes over whenever the primary is killed. */
  readonly failover?: boolean;
}

/** Short limits, so that recovery takes seconds. */
const limits = {
  KEYFERRY_LOG_LEVEL: 'warn',
  KEYFERRY_REQUEST_MS_MAX: '8000',
  KEYFERRY_DATABASE_STATEMENT_MS_MAX: '4000',
  KEYFERRY_DATABASE_CONNECT_MS_MAX: '2000',
  KEYFERRY_SYNC_WAIT_MS: '250',
  KEYFERRY_SYNC_ATTEMPTS_MAX: '5',
  KEYFERRY_SYNC_RETRY_MS_FIRST: '60',
  KEYFERRY_SYNC_RETRY_MS_MAX: '1000',
  KEYFERRY_SYNC_CONNECT_MS_MAX: '500',
  KEYFERRY_SYNC_REQUEST_MS_MAX: '700',
  KEYFERRY_SYNC_OPERATION_MS_MAX: '1800',
  KEYFERRY_SYNC_LOCK_MS: '2800',
  KEYFERRY_SYNC_RECHECK_MS: '3500',
  KEYFERRY_SWEEP_MS: '300',
  KEYFERRY_SHUTDOWN_MS_MAX: '1000',
};

/** Divided equally among the hosts. */
const forTwoHosts = { KEYFERRY_DATABASE_CONNECT_MS_MAX: '4000' };

const apiCount = 2;
const workerCount = 2;

/** Starts everything. When a part fails to start, those already started are stopped. */
export async function openWorld(ground: Ground = {}): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-chaos-'));
  const ends: (() => Promise<unknown>)[] = [];
  const close = async (keep: boolean) => {
    for (const end of ends.splice(0).reverse()) await end().catch(() => {});
    if (!keep) await rm(folder, { recursive: true, force: true });
  };
  try {
    return { ...(await start(folder, ends, ground)), close };
  } catch (error) {
    await close(false);
    throw error;
  }
}

async function start(folder: string, ends: (() => Promise<unknown>)[], ground: Ground): Promise<Omit<World, 'close'>> {
  const servers = await startServers(folder, ends, ground);
  const environment = {
    ...limits,
    ...(ground.failover === true ? forTwoHosts : {}),
    DATABASE_URL: servers.databaseUrl,
    REDIS_URL: servers.redisUrl,
    KEYFERRY_SEAL_KEY: randomBytes(32).toString('hex'),
    KEYFERRY_NETWORK_ALLOWED: 'all',
  };
  const token = await initialise(environment);
  const fakes = new Map<string, Fake>();
  for (const { type } of definitions) {
    const fake = await (await loadFake(type))();
    fakes.set(type, roomy(fake));
    ends.push(fake.close);
  }
  const complaints: string[] = [];
  const ports = await Promise.all(Array.from({ length: apiCount }, freePort));
  const processes = startProcesses(folder, environment, ports, (text) => complaints.push(text));
  ends.push(() => Promise.all(processes.map((one) => one.stop())));
  await Promise.all(processes.map((one) => one.untilReady()));
  const addresses = ports.map((port) => `http://127.0.0.1:${port}`);
  return { folder, token, addresses, processes, fakes, complaints, ...servers };
}

/** Initialises the store and creates the root token before any other process starts. */
async function initialise(environment: Readonly<Record<string, string>>): Promise<string> {
  const api = await openApi({ config: readConfig(environment), log: silentLog });
  try {
    const token = await api.prepareForDevelopment(undefined);
    if (token === undefined) throw new Error('the store was initialised already');
    return token;
  } finally {
    await api.close();
  }
}

function startProcesses(
  folder: string,
  environment: Readonly<Record<string, string>>,
  ports: readonly number[],
  onOwnEnd: (text: string) => void,
): readonly KeptProcess[] {
  const make = (name: string, file: string, more: Readonly<Record<string, string>> = {}) =>
    new KeptProcess({
      name,
      file: join(import.meta.dirname, file),
      environment: { ...environment, ...more },
      logFile: join(folder, `${name}.log`),
      onOwnEnd,
    });
  const processes = [
    ...ports.map((port, index) => make(`api-${index + 1}`, '../../infra/commands/serve.ts', { PORT: String(port) })),
    ...Array.from({ length: workerCount }, (_, index) => make(`worker-${index + 1}`, 'worker.ts')),
    make('sweep', '../../infra/commands/sweep.ts'),
  ];
  for (const one of processes) one.start();
  return processes;
}

/** Fewer connections than the processes have, retried soon after a restart. */
const few = { serverConnections: 8, settings: { server_login_retry: 1 } };

/** PostgreSQL keeps every commit and Redis an append-only file. Both restart on the same port. */
async function startServers(folder: string, ends: (() => Promise<unknown>)[], ground: Ground) {
  const dataDir = join(folder, 'postgres');
  const database = ground.failover === true ? await startPair(ends) : await startOne(dataDir, ends, ground);
  const redis = await openRedis(ground.redis ?? 'server', join(folder, 'redis'));
  ends.push(redis.close);
  return {
    ...database,
    redisUrl: redis.url,
    restartRedis: redis.restart,
  };
}

async function startOne(dataDir: string, ends: (() => Promise<unknown>)[], { pooler: program }: Ground) {
  let postgres: LocalServer = await startPostgres({ dataDir });
  ends.push(() => postgres.kill());
  const pooler = program === undefined ? undefined : await startPooler({ ...few, program, databaseUrl: postgres.url });
  ends.push(async () => pooler?.kill());
  return {
    databaseUrl: pooler?.url ?? postgres.url,
    failsOver: false,
    async restartPostgres() {
      await postgres.kill();
      postgres = await startPostgres({ dataDir, port: postgres.port });
      return 'PostgreSQL restarted';
    },
  };
}

async function startPair(ends: (() => Promise<unknown>)[]) {
  const pair = await newPair();
  ends.push(() => pair.remove());
  return {
    databaseUrl: pair.url,
    failsOver: true,
    async restartPostgres() {
      await pair.failOver();
      return 'PostgreSQL restarted as its standby';
    },
  };
}
