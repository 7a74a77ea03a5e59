import { countTokens } from '../auth/token/count.ts';
import type { GaugeName, LabelsOf } from '../core/instruments.ts';
import type { Log } from '../core/log.ts';
import type { Metrics, Sample } from '../core/metrics.ts';
import { type Levels, openLevels } from '../queue/pending/levels.ts';
import type { OpenStore } from '../store/open.ts';
import { countAssociations, countDestinations, oldestDirty, someDestinations } from '../sync/counts.ts';
import { loadSettings } from '../sync/sweep/requeue.ts';
import { seldom } from './seldom.ts';

/** Gates of more destinations than these are not looked at. */
const gatesMax = 10_000;

/** What each process tells of itself. */
export function gaugeProcess(metrics: Metrics, store: OpenStore): void {
  metrics.source('process', async () => {
    metrics.set('keyferry_sealed', one(store.seal.state() === 'ready' ? 0 : 1));
    const { max, busy, idle, waiting } = store.connections();
    metrics.set('keyferry_database_connections_max', one(max));
    metrics.set('keyferry_database_waiting', one(waiting));
    metrics.set('keyferry_database_connections', [
      { labels: { state: 'busy' }, value: busy },
      { labels: { state: 'idle' }, value: idle },
    ]);
    metrics.set('keyferry_database_up', one((await store.reachable()) ? 1 : 0));
  });
}

export interface ServiceOptions {
  readonly store: OpenStore;
  readonly redisUrl: string;
  readonly prefix: string;
  readonly types: readonly string[];
  readonly log: Log;
}

/** `gaugeService`, with its own way to Redis. */
export function openServiceGauges(metrics: Metrics, options: ServiceOptions): { close(): void } {
  const { store, types } = options;
  const levels = openLevels(options);
  gaugeService(metrics, { store, levels, types });
  return levels;
}

interface ServiceParts {
  readonly store: OpenStore;
  readonly levels: Levels;
  readonly types: readonly string[];
}

/**
 * What is the same for all processes, from the queue and the store. However often it is read, counting takes a small part of
 * the time of the database: see `seldom`.
 */
function gaugeService(metrics: Metrics, { store, levels, types }: ServiceParts): void {
  const source = (name: string, gauges: readonly GaugeName[], update: () => Promise<void>) => {
    const updated = seldom(() => update().catch(() => forget(metrics, gauges)));
    metrics.source(name, updated);
  };
  source('settings', ['keyferry_sync_queue_capacity', 'keyferry_sync_disabled'], async () => {
    const { queue_capacity, disabled } = await loadSettings(store);
    metrics.set('keyferry_sync_queue_capacity', one(queue_capacity));
    metrics.set('keyferry_sync_disabled', one(disabled ? 1 : 0));
  });
  source('associations', ['keyferry_sync_associations'], async () => {
    const counts = await countAssociations(store);
    metrics.set(
      'keyferry_sync_associations',
      counts.map(({ type, status, count }) => sample({ type, status }, count)),
    );
  });
  source('age', ['keyferry_sync_oldest_dirty_age_seconds'], async () => {
    const ages = await oldestDirty(store);
    metrics.set('keyferry_sync_oldest_dirty_age_seconds', ofTypes(types, ages));
  });
  source('destinations', ['keyferry_sync_destinations'], async () => {
    metrics.set('keyferry_sync_destinations', ofTypes(types, await countDestinations(store)));
  });
  source('tokens', ['keyferry_tokens', 'keyferry_leases'], async () => {
    const { tokens, leases } = await countTokens(store);
    metrics.set('keyferry_tokens', one(tokens));
    metrics.set('keyferry_leases', one(leases));
  });
  source('gates', ['keyferry_sync_gates'], async () => gaugeGates(metrics, { store, levels, types }));
  metrics.source('queue', () => gaugeQueue(metrics, levels));
}

/** Redis is asked each time: it counts without looking. */
async function gaugeQueue(metrics: Metrics, levels: Levels): Promise<void> {
  try {
    const [pending, jobs] = await Promise.all([levels.pending(), levels.jobs()]);
    metrics.set('keyferry_sync_pending_operations', one(pending));
    const states = ['waiting', 'active', 'delayed'] as const;
    metrics.set(
      'keyferry_sync_jobs',
      [...jobs].flatMap(([type, level]) => states.map((state) => sample({ type, state }, level[state]))),
    );
    metrics.set('keyferry_redis_up', one(1));
  } catch {
    metrics.set('keyferry_redis_up', one(0));
    forget(metrics, ['keyferry_sync_pending_operations', 'keyferry_sync_jobs']);
  }
}

async function gaugeGates(metrics: Metrics, { store, levels, types }: ServiceParts): Promise<void> {
  const byType = Map.groupBy(await someDestinations(store, gatesMax), ({ type }) => type);
  const looks = types.map(async (type) => {
    const { closed, half_open } = await levels.gates((byType.get(type) ?? []).map(({ id }) => id));
    return [sample({ type, state: 'closed' }, closed), sample({ type, state: 'half_open' }, half_open)];
  });
  metrics.set('keyferry_sync_gates', (await Promise.all(looks)).flat());
}

const one = (value: number) => [{ labels: {}, value }];

const sample = <Labels extends Readonly<Record<string, string>>>(labels: Labels, value: number): Sample<Labels> => ({
  labels,
  value,
});

const ofTypes = (
  types: readonly string[],
  values: ReadonlyMap<string, number>,
): readonly Sample<LabelsOf<'keyferry_sync_destinations'>>[] =>
  types.map((type) => sample({ type }, values.get(type) ?? 0));

/** What cannot be known now is not shown, rather than shown as it was. */
function forget(metrics: Metrics, gauges: readonly GaugeName[]): void {
  for (const gauge of gauges) metrics.set(gauge, []);
}
