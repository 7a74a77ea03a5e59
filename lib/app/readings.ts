import { estimateTokens } from '../auth/token/count.ts';
import { definitions } from '../destinations/index.ts';
import { openLevels } from '../queue/pending/levels.ts';
import { countDestinations, estimateAssociations, oldestDirty, someDestinations } from '../sync/counts.ts';
import { loadSettings } from '../sync/sweep/requeue.ts';
import { gaugeService } from '../telemetry/gauges/service.ts';
import type { AppParts, Shared } from './shared.ts';

/** The circuit breakers of more destinations than these are not looked at. */
const breakersMax = 10_000;

/** What is known of the store and the queue, for the metrics of a process that is asked for them. */
export function readService({ config, log }: AppParts, { store, redisUrl, metrics }: Shared): { close(): void } {
  const types = definitions.map(({ type }) => type);
  const levels = openLevels({ redisUrl, prefix: config.KEYFERRY_REDIS_PREFIX, types, log });
  gaugeService(metrics, types, {
    settings: () => loadSettings(store),
    associations: () => store.readOlder((db) => estimateAssociations({ db })),
    oldestDirty: () => oldestDirty(store, types),
    destinations: () => store.readOlder((db) => countDestinations({ db })),
    tokens: () => store.readOlder((db) => estimateTokens({ db })),
    async breakers() {
      const byType = Map.groupBy(await someDestinations(store, breakersMax), ({ type }) => type);
      const ids = (type: string) => (byType.get(type) ?? []).map(({ id }) => id);
      return new Map(await Promise.all(types.map(async (type) => [type, await levels.breakers(ids(type))] as const)));
    },
    pending: () => levels.pending(),
    jobs: () => levels.jobs(),
  });
  return levels;
}
