import { type Clock, systemClock } from '#core/clock.ts';
import { type Config, ConfigError, unsealOf } from '#core/config.ts';
import type { Log } from '#core/log/log.ts';
import { definitions } from '#destinations/index.ts';
import { type NetworkBounds, readBounds } from '#network/bounds.ts';
import type { GitSettings } from '#network/git/settings.ts';
import { type TypeNames, typeNames } from '#path/vocabulary.ts';
import { openQueue, type SyncQueue } from '#queue/open.ts';
import type { Bell } from '#queue/wake/bell.ts';
import { type OpenStore, openStore } from '#store/open.ts';
import type { Lender } from '#store/seal/keys/root-key-source.ts';
import { changedBy } from '#sync/sweep/requeue.ts';
import { gaugeProcess } from '#telemetry/gauges/process.ts';
import { borrowTelemetry } from '#telemetry/loans.ts';
import type { Metrics } from '#telemetry/metrics/metrics.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';
import { openTracing } from '#telemetry/traces/open.ts';
import { type Tracing, tracedEnqueue } from '#telemetry/traces/tracing.ts';
import { openDoorbell } from './doorbell.ts';
import { databaseOf, replicaOf, sealKeys } from './store-options.ts';

/** What a process is started with. */
export interface AppParts {
  readonly config: Config;
  readonly log: Log;
  /** Shared by the parts of a process. Default: new metrics. */
  readonly metrics?: Metrics;
  /** The clock of the process; stored times use the clock of the store. Default: the system clock. */
  readonly clock?: Clock;
}

export interface Closable {
  close(): Promise<void>;
}

/** What every kind of process needs. */
export interface Shared extends Closable {
  readonly store: OpenStore;
  readonly clock: Clock;
  readonly queue: SyncQueue;
  readonly redisUrl: string;
  /** The names of all types in this release. */
  readonly typeNames: TypeNames;
  /** Wakes worker functions; undefined when workers always listen. */
  readonly bell: Bell | undefined;
  /** The widest network access that destinations may configure. */
  readonly networkBounds: NetworkBounds;
  readonly changed: ReturnType<typeof changedBy>;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  /**
   * For a process that may be frozen after its work: sends the spans gathered so far, and closes the database connections, which
   * other processes may need meanwhile. Bounded; never fails.
   */
  flush(): Promise<void>;
}

/** How a process is unsealed when the seal has key shares: with the shares, or with a loan from an unsealed process. */
export type UnsealedBy = 'key-shares' | 'another-process';

export async function openShared(
  { config, log, metrics = openMetrics(), clock = systemClock }: AppParts,
  unsealedBy: UnsealedBy,
): Promise<Shared> {
  const database = databaseOf(config, 'the URL of a PostgreSQL 15 or later');
  const redisUrl = mustBeSet(config.REDIS_URL, 'REDIS_URL is not set: it is the URL of a Redis 7 or 8, or a Valkey');
  const networkBounds = readBounds(config.KEYFERRY_NETWORK_ALLOWED);
  const store = await openStore({
    ...database,
    replica: replicaOf(config),
    poolSize: config.KEYFERRY_DATABASE_POOL_SIZE,
    pooler: config.KEYFERRY_DATABASE_POOLER,
    statementTimeoutMs: config.KEYFERRY_DATABASE_STATEMENT_MS_MAX,
    connectTimeoutMs: config.KEYFERRY_DATABASE_CONNECT_MS_MAX,
    ...(await sealKeys(config)),
    borrowsFrom: unsealedBy === 'key-shares' ? undefined : await lenderOf(config, metrics),
    clock,
    log,
  });
  const { queue: plainQueue, bell } = await openQueues({ config, log }, redisUrl).catch(async (error) => {
    await store.close();
    throw error;
  });
  const traces = await openTracing(config, log);
  const { tracing } = traces;
  const queue = { ...plainQueue, enqueue: tracedEnqueue(plainQueue.enqueue, tracing) };
  gaugeProcess(metrics, {
    sealed: () => store.seal.state() !== 'ready',
    connections: () => store.connections(),
    reachable: () => store.reachable(),
  });
  return {
    store,
    clock,
    queue,
    redisUrl,
    typeNames: typeNames(definitions),
    bell,
    networkBounds,
    changed: changedBy(store, queue, log),
    metrics,
    tracing,
    async flush() {
      await Promise.all([traces.flush(), store.rest()]);
    },
    async close() {
      await queue.close();
      bell?.close();
      await store.close();
      await traces.close();
    },
  };
}

async function openQueues({ config, log }: AppParts, redisUrl: string) {
  const types = definitions.map(({ type }) => type);
  const bell = await openDoorbell(config, redisUrl, log);
  const ringing = bell === undefined ? {} : { doorbell: bell };
  const queue = await openQueue({ redisUrl, types, prefix: config.KEYFERRY_REDIS_PREFIX, log, ...ringing });
  return { queue, bell };
}

async function lenderOf(config: Config, metrics: Metrics): Promise<Lender | undefined> {
  const settings = unsealOf(config);
  if (settings === undefined) return undefined;
  // A process that borrows no key does not load the client.
  const { openLender } = await import('./borrowing/lender.ts');
  return openLender(settings, borrowTelemetry(metrics));
}

function mustBeSet(value: string | undefined, problem: string): string {
  if (value === undefined) throw new ConfigError(problem);
  return value;
}

/** How repositories of workspaces are reached. */
export const gitOf = (config: Config, { networkBounds }: Pick<Shared, 'networkBounds'>): GitSettings => ({
  program: config.KEYFERRY_GIT,
  bounds: networkBounds,
  caFile: config.KEYFERRY_GIT_CA_FILE,
  knownHostsFile: config.KEYFERRY_GIT_KNOWN_HOSTS_FILE,
});
