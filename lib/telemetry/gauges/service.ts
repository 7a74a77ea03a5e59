import type { GaugeName } from '../metrics/instruments.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { byType, sample, single } from './samples.ts';
import { throttled } from './throttle.ts';

const jobStates = ['waiting', 'active', 'delayed', 'unreadable'] as const;
type JobState = (typeof jobStates)[number];

/** What is read of the store and the queue. Maps are by destination type. A reading that fails is left out. */
export interface ServiceReadings {
  settings(): Promise<{ readonly queue_capacity: number; readonly disabled: boolean }>;
  associations(): Promise<readonly { readonly type: string; readonly status: string; readonly count: number }[]>;
  /** Seconds since the oldest change that has not arrived. */
  oldestDirty(): Promise<ReadonlyMap<string, number>>;
  destinations(): Promise<ReadonlyMap<string, number>>;
  tokens(): Promise<{ readonly tokens: number; readonly leases: number }>;
  /** Destinations whose circuit breaker is open, or half open. */
  breakers(): Promise<ReadonlyMap<string, { readonly open: number; readonly half_open: number }>>;
  pending(): Promise<number>;
  jobs(): Promise<ReadonlyMap<string, Readonly<Record<JobState, number>>>>;
}

/**
 * The gauges that are the same for all processes, from the store and the queue. However often they are read, counting takes a
 * small part of the time of the database: see `throttled`.
 */
export function gaugeService(metrics: Metrics, types: readonly string[], readings: ServiceReadings): void {
  const source = (name: string, gauges: readonly GaugeName[], update: () => Promise<void>) => {
    metrics.source(
      name,
      throttled(() => update().catch(() => forget(metrics, gauges))),
    );
  };
  source('settings', ['keyferry_sync_queue_capacity', 'keyferry_sync_disabled'], async () => {
    const { queue_capacity, disabled } = await readings.settings();
    metrics.set('keyferry_sync_queue_capacity', single(queue_capacity));
    metrics.set('keyferry_sync_disabled', single(disabled ? 1 : 0));
  });
  source('associations', ['keyferry_sync_associations'], async () => {
    const counts = await readings.associations();
    metrics.set(
      'keyferry_sync_associations',
      counts.map(({ type, status, count }) => sample({ type, status }, count)),
    );
  });
  source('age', ['keyferry_sync_oldest_dirty_age_seconds'], async () => {
    metrics.set('keyferry_sync_oldest_dirty_age_seconds', byType(types, await readings.oldestDirty()));
  });
  source('destinations', ['keyferry_sync_destinations'], async () => {
    metrics.set('keyferry_sync_destinations', byType(types, await readings.destinations()));
  });
  source('tokens', ['keyferry_tokens', 'keyferry_leases'], async () => {
    const { tokens, leases } = await readings.tokens();
    metrics.set('keyferry_tokens', single(tokens));
    metrics.set('keyferry_leases', single(leases));
  });
  source('breakers', ['keyferry_sync_circuit_breakers', 'keyferry_sync_gates'], () =>
    gaugeBreakers(metrics, types, readings),
  );
  metrics.source('queue', () => gaugeQueue(metrics, readings));
}

async function gaugeBreakers(metrics: Metrics, types: readonly string[], { breakers }: ServiceReadings) {
  const known = await breakers();
  const samples = (open: string) =>
    types.flatMap((type) => {
      const levels = known.get(type) ?? { open: 0, half_open: 0 };
      return [sample({ type, state: open }, levels.open), sample({ type, state: 'half_open' }, levels.half_open)];
    });
  metrics.set('keyferry_sync_circuit_breakers', samples('open'));
  metrics.set('keyferry_sync_gates', samples('closed'));
}

/** Redis is asked each time: it counts without looking. */
async function gaugeQueue(metrics: Metrics, readings: ServiceReadings): Promise<void> {
  try {
    const [pending, jobs] = await Promise.all([readings.pending(), readings.jobs()]);
    metrics.set('keyferry_sync_pending_operations', single(pending));
    metrics.set(
      'keyferry_sync_jobs',
      [...jobs].flatMap(([type, level]) => jobStates.map((state) => sample({ type, state }, level[state]))),
    );
    metrics.set('keyferry_redis_up', single(1));
  } catch {
    metrics.set('keyferry_redis_up', single(0));
    forget(metrics, ['keyferry_sync_pending_operations', 'keyferry_sync_jobs']);
  }
}

/** What cannot be known now is not shown, rather than shown as it was. */
function forget(metrics: Metrics, gauges: readonly GaugeName[]): void {
  for (const gauge of gauges) metrics.set(gauge, []);
}
