import { type Clock, systemClock } from '../core/clock.ts';
import { type Config, ConfigError, unsealOf } from '../core/config.ts';
import type { Log } from '../core/log.ts';
import { definitions } from '../destinations/index.ts';
import { type NetworkBounds, readBounds } from '../network/bounds.ts';
import { openQueue, type SyncQueue } from '../queue/open.ts';
import type { Bell } from '../queue/wake/bell.ts';
import { type OpenStore, openStore } from '../store/open.ts';
import type { Lender } from '../store/seal/keys/root-key-source.ts';
import { changedBy } from '../sync/sweep/requeue.ts';
import { gaugeProcess } from '../telemetry/gauges/process.ts';
import { borrowTelemetry } from '../telemetry/loans.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import { openMetrics } from '../telemetry/metrics/open.ts';
import { tracedEnqueue } from '../telemetry/traces/enqueue.ts';
import { openTracing } from '../telemetry/traces/open.ts';
import type { Tracing } from '../telemetry/traces/tracing.ts';
import { databaseOf, replicaOf } from './database.ts';
import { openDoorbell } from './doorbell.ts';
import { sealKeys } from './seal-keys.ts';

/** What a process is started with. */
export interface AppParts {
  readonly config: Config;
  readonly log: Log;
  /** Parts of one process share it. Absent: its own. */
  readonly metrics?: Metrics;
  /** Of the process. What is stored goes by the clock of the store. Absent: that of the machine. */
  readonly clock?: Clock;
}

export interface Closable {
  close(): Promise<void>;
}

/** What every kind of process stands on. */
export interface Shared extends Closable {
  readonly store: OpenStore;
  readonly clock: Clock;
  readonly queue: SyncQueue;
  readonly redisUrl: string;
  /** Wakes worker functions; undefined where workers listen all the time. */
  readonly bell: Bell | undefined;
  /** What destinations may open of the network at most. */
  readonly networkBounds: NetworkBounds;
  readonly changed: ReturnType<typeof changedBy>;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  /**
   * For a process that may be frozen after its work: sends the spans that have been gathered, and closes the connections to the
   * database that others may need meanwhile. Bounded; never fails.
   */
  flush(): Promise<void>;
}

/** How a process is unsealed where people hold key shares: by them, or by an unsealed process that it asks. */
export type UnsealedBy = 'people' | 'another-process';

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
    borrowsFrom: unsealedBy === 'people' ? undefined : await lenderOf(config, metrics),
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
  // A process that asks nobody does not load the client either.
  const { openLender } = await import('./borrowing/lender.ts');
  return openLender(settings, borrowTelemetry(metrics));
}

function mustBeSet(value: string | undefined, problem: string): string {
  if (value === undefined) throw new ConfigError(problem);
  return value;
}
