import type { GaugeName } from '../metrics/instruments.ts';
import { byType, type Metrics, sample, single } from '../metrics/metrics.ts';
import { gaugeWorkspaces, type WorkspaceReadings } from '../workspaces.ts';

const jobStates = ['waiting', 'active', 'delayed', 'unreadable'] as const;
type JobState = (typeof jobStates)[number];

/** Readings of the store and the queue. Maps are keyed by destination type. A reading that fails is not exported. */
export interface ServiceReadings extends WorkspaceReadings {
  settings(): Promise<{ readonly queue_capacity: number; readonly disabled: boolean }>;
  associations(): Promise<readonly { readonly type: string; readonly status: string; readonly count: number }[]>;
  /** Number of changes of these counts that are not folded into sums. */
  unfolded(): Promise<number>;
  /** Age in seconds of the oldest change that is not synced yet. */
  oldestDirty(): Promise<ReadonlyMap<string, number>>;
  /** What looks found at destinations, and the age in seconds of the oldest last look. */
  drift(): Promise<readonly { readonly type: string; readonly kind: string; readonly count: number }[]>;
  oldestLook(): Promise<ReadonlyMap<string, number>>;
  destinations(): Promise<ReadonlyMap<string, number>>;
  tokens(): Promise<{ readonly tokens: number; readonly leases: number }>;
  /** Number of destinations whose circuit breaker is open or half open. */
  breakers(): Promise<ReadonlyMap<string, { readonly open: number; readonly half_open: number }>>;
  pending(): Promise<number>;
  jobs(): Promise<ReadonlyMap<string, Readonly<Record<JobState, number>>>>;
}

/**
 * The gauges that are the same for all processes, from the store and the queue. However often they are scraped, counting takes only a small
 * part of the database's time (see `throttled`).
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
  source('unfolded', ['keyferry_sync_unfolded_counts'], async () => {
    metrics.set('keyferry_sync_unfolded_counts', single(await readings.unfolded()));
  });
  source('age', ['keyferry_sync_oldest_dirty_age_seconds'], async () => {
    metrics.set('keyferry_sync_oldest_dirty_age_seconds', byType(types, await readings.oldestDirty()));
  });
  source('drift', ['keyferry_sync_drifted_associations'], () => gaugeDrift(metrics, types, readings));
  source('looks', ['keyferry_sync_oldest_drift_look_age_seconds'], async () => {
    metrics.set('keyferry_sync_oldest_drift_look_age_seconds', byType(types, await readings.oldestLook()));
  });
  source('destinations', ['keyferry_sync_destinations'], async () => {
    metrics.set('keyferry_sync_destinations', byType(types, await readings.destinations()));
  });
  source('tokens', ['keyferry_tokens', 'keyferry_leases'], async () => {
    const { tokens, leases } = await readings.tokens();
    metrics.set('keyferry_tokens', single(tokens));
    metrics.set('keyferry_leases', single(leases));
  });
  const workspaces = gaugeWorkspaces(metrics, readings);
  source('runs', ['keyferry_workspace_runs'], workspaces.runs);
  source('agents', ['keyferry_workspace_agents'], workspaces.agents);
  source(
    'waiting',
    ['keyferry_workspace_waiting', 'keyferry_workspace_oldest_waiting_age_seconds'],
    workspaces.waiting,
  );
  source('breakers', ['keyferry_sync_circuit_breakers', 'keyferry_sync_gates'], () =>
    gaugeBreakers(metrics, types, readings),
  );
  metrics.source('queue', () => gaugeQueue(metrics, readings));
}

const driftKinds = ['deleted', 'changed', 'tags', 'foreign'] as const;

/** Each type and kind has a value, so that an alert ends when the drift does. */
async function gaugeDrift(metrics: Metrics, types: readonly string[], { drift }: ServiceReadings) {
  const found = new Map((await drift()).map(({ type, kind, count }) => [`${type} ${kind}`, count]));
  metrics.set(
    'keyferry_sync_drifted_associations',
    types.flatMap((type) => driftKinds.map((kind) => sample({ type, kind }, found.get(`${type} ${kind}`) ?? 0))),
  );
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

/** Not throttled, because Redis knows these counts without scanning. */
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

/** A value that cannot be read is not exported, rather than exported with an old value. */
function forget(metrics: Metrics, gauges: readonly GaugeName[]): void {
  for (const gauge of gauges) metrics.set(gauge, []);
}

/** Shortest pause between two runs, in milliseconds; and the pause as a multiple of the last run's duration. */
const pauseMsMin = 5_000;
const pauseFactor = 50;

/**
 * Limits how often `work` runs, without overlap: a call during a run waits for its end, and a call during the pause after it does nothing. A
 * slow query thus takes at most 2 % of the time, however often it is requested. A failed run rejects the calls that wait for it and is also
 * followed by a pause. `now` is in milliseconds.
 */
export function throttled(work: () => Promise<void>, now: () => number = () => performance.now()): () => Promise<void> {
  let next = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  const run = async () => {
    const started = now();
    await work().finally(() => {
      next = now() + Math.max(pauseMsMin, pauseFactor * (now() - started));
      running = undefined;
    });
  };
  return () => {
    if (running === undefined && now() >= next) running = run();
    return running ?? Promise.resolve();
  };
}
