import type { Transaction } from 'kysely';
import { openGatekeeper } from './auth/gatekeeper.ts';
import { mintRootToken } from './auth/token/mint.ts';
import { tokenEngine } from './auth/token/rows.ts';
import { dropExpired } from './auth/token/store.ts';
import { systemClock } from './core/clock.ts';
import { type Config, ConfigError } from './core/config.ts';
import type { Log } from './core/log.ts';
import { Secret } from './core/secret.ts';
import { definitions } from './destinations/index.ts';
import { kvV1 } from './engines/kv-v1/index.ts';
import { expireVersions } from './engines/kv-v2/expire.ts';
import { kvV2 } from './engines/kv-v2/index.ts';
import { insertMount } from './engines/mounts/insert.ts';
import { openMountTable } from './engines/mounts/table.ts';
import { mountRows } from './engines/sys/mounts/index.ts';
import { sealRows } from './engines/sys/seal/index.ts';
import { createServer, type HttpServer } from './http/server.ts';
import type { Consumer, Gate, Handler, Queue } from './queue/contract.ts';
import { openGate } from './queue/gate.ts';
import { openQueue } from './queue/open.ts';
import { type OpenStore, openStore } from './store/open.ts';
import type { Database } from './store/tables.ts';
import { claims } from './sync/claims.ts';
import { type Destination, keepDrivers } from './sync/drivers.ts';
import { finishes } from './sync/finish.ts';
import type { ReconcileParts } from './sync/reconcile.ts';
import { type ReplayFilter, replay } from './sync/replay.ts';
import { changedBy } from './sync/requeue.ts';
import { syncRows } from './sync/rows/index.ts';
import { newSweepState, sweep } from './sync/sweep.ts';
import { syncHandler } from './sync/worker.ts';

/** What a process is started with. */
export interface AppParts {
  readonly config: Config;
  readonly log: Log;
}

/** A server of the API with all it stands on. */
export interface Api {
  listen(port: number, host: string): Promise<{ readonly port: number }>;
  readonly inject: HttpServer['inject'];
  readonly store: OpenStore;
  /** For development: initialises an empty store with the automatic seal and makes sure that this root token is valid. */
  prepareForDevelopment(rootToken: string | undefined): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Opens the API: `sys/`, `auth/token/` and what is mounted. */
export async function openApi(parts: AppParts): Promise<Api> {
  const shared = await openShared(parts);
  const { config, log } = parts;
  const { store, queue, changed } = shared;
  const mounts = openMountTable({ store, clock, fixed: fixedMounts });
  const engineParts = { store, clock, changed };
  const secrets = kvV2(engineParts);
  const mintRoot = (version: '1' | '2', id?: string) => async (tx: Transaction<Database>) => {
    await insertMount(tx, {
      path: 'secret/',
      type: 'kv',
      description: 'key/value secret storage',
      options: { version },
    });
    return mintRootToken({ db: tx, barrier: store.barrier }, clock.now(), id);
  };
  const sealParts = { seal: store.seal, reachable: () => store.reachable(), mintRootToken: mintRoot('1'), clock };
  const syncParts = {
    ...engineParts,
    queue,
    log,
    definitions,
    mounts,
    currentSecret: secrets.current,
    waitMs: config.KEYFERRY_SYNC_WAIT_MS,
    drainMs: config.KEYFERRY_SYNC_OPERATION_MS_MAX + config.KEYFERRY_SYNC_REQUEST_MS_MAX,
  };
  const system = {
    type: 'system',
    rows: [
      ...sealRows(sealParts),
      ...mountRows({ ...engineParts, mounts }),
      ...syncRows(syncParts),
    ],
  };
  const server = createServer({
    engines: [system, tokenEngine({ store, clock }), secrets.engine, kvV1(engineParts)],
    mounts,
    gatekeeper: openGatekeeper({ store, seenMountsRevision: mounts.seenRevision }),
    state: () => store.seal.state(),
    log,
    clock,
    bodyLimitBytes: config.KEYFERRY_BODY_BYTES_MAX,
    requestTimeoutMs: config.KEYFERRY_REQUEST_MS_MAX,
  });
  return {
    store,
    inject: (options) => server.inject(options),
    listen: (port, host) => server.listen({ port, host, ...tlsOf(config) }),
    async prepareForDevelopment(rootToken) {
      if (store.seal.state() === 'uninitialised') {
        const { prepared } = await store.seal.init({ shares: 1, threshold: 1 }, mintRoot('2', rootToken));
        return prepared;
      }
      if (rootToken !== undefined) await mintRootToken(store, clock.now(), rootToken).catch(isThere);
      return rootToken;
    },
    async close() {
      await server.close(config.KEYFERRY_SHUTDOWN_MS_MAX);
      await shared.close();
    },
  };
}

/** Consumers of the given destination types' queues, in this process. */
export async function openWorkers(parts: AppParts, destinations: readonly Destination[]): Promise<Closable> {
  const shared = await openShared(parts);
  const { config, log } = parts;
  const gate = await openGate({ redisUrl: shared.redisUrl, prefix: config.KEYFERRY_REDIS_PREFIX, clock, log });
  const workers = destinations.map((destination) => openWorker(parts, shared, gate, destination));
  log.info({ types: destinations.map(({ definition }) => definition.type) }, 'workers are running');
  return {
    async close() {
      await Promise.all(workers.map(({ consumer }) => consumer.close(config.KEYFERRY_SHUTDOWN_MS_MAX)));
      await Promise.all(workers.map(({ drivers }) => drivers.close()));
      await gate.close();
      await shared.close();
    },
  };
}

function openWorker(parts: AppParts, shared: Shared, gate: Gate, destination: Destination) {
  const { config, log } = parts;
  const { store, queue, changed } = shared;
  const timeouts = { connectMs: config.KEYFERRY_SYNC_CONNECT_MS_MAX, requestMs: config.KEYFERRY_SYNC_REQUEST_MS_MAX };
  const drivers = keepDrivers(destination, { store, clock, log, timeouts });
  const reconcileParts: ReconcileParts = {
    definition: destination.definition,
    store,
    clock,
    log,
    random: Math.random,
    retry: {
      attemptsMax: config.KEYFERRY_SYNC_ATTEMPTS_MAX,
      delayMsFirst: config.KEYFERRY_SYNC_RETRY_MS_FIRST,
      delayMsMax: config.KEYFERRY_SYNC_RETRY_MS_MAX,
    },
    operationMs: config.KEYFERRY_SYNC_OPERATION_MS_MAX,
    claim: claims(store, config.KEYFERRY_SYNC_LOCK_MS),
    finish: finishes(store),
    openDriver: drivers.open,
    currentSecret: kvV2({ store, clock, changed }).current,
  };
  const handler = whileReady(store, syncHandler(reconcileParts, gate, queue));
  const consumer: Consumer = queue.consume(destination.definition.type, handler, {
    concurrency: config.KEYFERRY_SYNC_CONCURRENCY,
    lockMs: config.KEYFERRY_SYNC_LOCK_MS,
  });
  return { consumer, drivers };
}

/** A worker that is sealed, or started before the store was initialised, puts its jobs aside. */
function whileReady(store: OpenStore, handler: Handler): Handler {
  return (job, signal) => {
    if (store.seal.state() === 'ready') return handler(job, signal);
    return Promise.resolve({ kind: 'again', afterMs: lookAgainMs });
  };
}

const lookAgainMs = 1_000;

/** The sweep, and the replay, which share what they stand on. */
export interface Sweeper extends Closable {
  /** One round. */
  run(): Promise<object>;
  replay(filter: ReplayFilter): Promise<number>;
}

/** How many expired things one round takes of each kind. */
const expiredPerRoundMax = 1_000;

export async function openSweeper(parts: AppParts): Promise<Sweeper> {
  const shared = await openShared(parts);
  const { store, queue, changed } = shared;
  const state = newSweepState();
  const expire = (now: Date) => expireVersions(store, now, expiredPerRoundMax);
  return {
    async run() {
      if (store.seal.state() !== 'ready') return { sealed: true };
      const swept = await sweep({ store, queue, clock, log: parts.log, expire }, state);
      return { ...swept, tokens: await dropExpired(store, expiredPerRoundMax) };
    },
    replay: async (filter) => (await replay(store, changed, filter)).replayed,
    close: shared.close,
  };
}

interface Closable {
  close(): Promise<void>;
}

const clock = systemClock;

/** `sys/` and `auth/token/` are there without having been mounted. */
const fixedMounts = [
  { path: 'sys/', type: 'system', description: 'system endpoints used for control, policy and debugging' },
  { path: 'auth/token/', type: 'token', description: 'token based credentials' },
];

interface Shared extends Closable {
  readonly store: OpenStore;
  readonly queue: Queue;
  readonly redisUrl: string;
  readonly changed: ReturnType<typeof changedBy>;
}

async function openShared({ config, log }: AppParts): Promise<Shared> {
  const databaseUrl = mustBeSet(
    config.DATABASE_URL,
    'DATABASE_URL is not set: it is the URL of a PostgreSQL 15 or later',
  );
  const redisUrl = mustBeSet(config.REDIS_URL, 'REDIS_URL is not set: it is the URL of a Redis 7 or 8, or a Valkey');
  const store = await openStore({
    databaseUrl,
    poolSize: config.KEYFERRY_DATABASE_POOL_SIZE,
    statementTimeoutMs: config.KEYFERRY_DATABASE_STATEMENT_MS_MAX,
    connectTimeoutMs: config.KEYFERRY_DATABASE_CONNECT_MS_MAX,
    seal: sealOf(config),
    clock,
    log,
  });
  const types = definitions.map(({ type }) => type);
  const queue = await openQueue({ redisUrl, types, prefix: config.KEYFERRY_REDIS_PREFIX, log, clock }).catch(
    async (error) => {
      await store.close();
      throw error;
    },
  );
  return {
    store,
    queue,
    redisUrl,
    changed: changedBy(store, queue, log),
    async close() {
      await queue.close();
      await store.close();
    },
  };
}

function mustBeSet(value: string | undefined, problem: string): string {
  if (value === undefined) throw new ConfigError(problem);
  return value;
}

function sealOf(config: Config) {
  if (config.KEYFERRY_SEAL_KEY !== undefined) return { key: new Secret(config.KEYFERRY_SEAL_KEY) };
  if (config.KEYFERRY_SEAL_KEY_FILE !== undefined) return { keyFile: config.KEYFERRY_SEAL_KEY_FILE };
  return 'shamir' as const;
}

function tlsOf(config: Config) {
  const certificateFile = config.KEYFERRY_TLS_CERT_FILE;
  const keyFile = config.KEYFERRY_TLS_KEY_FILE;
  if (certificateFile !== undefined && keyFile !== undefined) return { tls: { certificateFile, keyFile } };
  if (certificateFile === undefined && keyFile === undefined) return {};
  throw new ConfigError('KEYFERRY_TLS_CERT_FILE and KEYFERRY_TLS_KEY_FILE go together');
}

/** A fixed root token that was made at an earlier start. */
function isThere(error: unknown): void {
  if (error instanceof Error && error.message.includes('duplicate ID')) return;
  throw error;
}
