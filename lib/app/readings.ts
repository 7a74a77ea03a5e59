import { estimateTokens } from '#auth/token/count.ts';
import { definitions } from '#destinations/index.ts';
import { openLevels } from '#queue/pending/levels.ts';
import { countDrift, oldestLook } from '#sync/drift/counts.ts';
import { loadSettings } from '#sync/model/settings.ts';
import {
  countAssociations,
  countDestinations,
  countUnfolded,
  firstDestinations,
  oldestDirty,
} from '#sync/records/metric-counts.ts';
import { gaugeService } from '#telemetry/gauges/service.ts';
import { countActiveRuns, countAgents, countWaiting } from '#workspaces/levels.ts';
import type { AppParts, Shared } from './shared.ts';

/** Limit for the destinations whose circuit breakers are read. */
const breakersMax = 10_000;

/** The gauges of the store and the queue, for processes that serve metrics. */
export function readService({ config, log }: AppParts, { store, redisUrl, metrics }: Shared): { close(): void } {
  const types = definitions.map(({ type }) => type);
  const levels = openLevels({ redisUrl, prefix: config.KEYFERRY_REDIS_PREFIX, types, log });
  gaugeService(metrics, types, {
    settings: () => loadSettings(store),
    associations: () => store.readOlder((db) => countAssociations({ db })),
    unfolded: () => store.readOlder((db) => countUnfolded({ db })),
    oldestDirty: () => oldestDirty(store, types),
    drift: () => countDrift(store),
    oldestLook: () => store.readOlder((db) => oldestLook({ db })),
    destinations: () => store.readOlder((db) => countDestinations({ db })),
    tokens: () => store.readOlder((db) => estimateTokens({ db })),
    async breakers() {
      const byType = Map.groupBy(await firstDestinations(store, breakersMax), ({ type }) => type);
      const ids = (type: string) => (byType.get(type) ?? []).map(({ id }) => id);
      return new Map(await Promise.all(types.map(async (type) => [type, await levels.breakers(ids(type))] as const)));
    },
    pending: () => levels.pending(),
    jobs: () => levels.jobs(),
    runs: () => store.readOlder((db) => countActiveRuns({ db })),
    agents: () => store.readOlder((db) => countAgents({ db })),
    waiting: () => store.readOlder((db) => countWaiting({ db })),
  });
  return levels;
}
