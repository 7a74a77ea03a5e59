import { type Engine, engineOf } from '#path/contract/engine.ts';
import type { Mount, NewMount } from '#path/contract/mount.ts';
import type { Dirty } from '#store/outbox.ts';
import type { Store } from '#store/store.ts';
import type { EngineDefinition, EngineParts, EngineRowParts, SecretSource } from './contract.ts';

export const openEngines = (engines: readonly EngineDefinition[], parts: EngineRowParts): readonly Engine[] =>
  engines.map((engine) => ({
    ...engine.open(parts),
    type: engine.type,
    matches: (mount) => engineOf(engines, mount) === engine,
  }));

/** The mounts of a new store. */
export const firstMounts = (
  engines: readonly EngineDefinition[],
  when: 'production' | 'development',
): readonly NewMount[] =>
  engines.flatMap(({ type, version, first }) => {
    if (first?.when !== when) return [];
    const { path, description } = first;
    return [{ path, type, description, options: version === undefined ? null : { version } }];
  });

/** The secrets of all engines as the sync reads them. */
export interface SyncedSecrets extends SecretSource {
  /** Display names of the engines whose secrets can be synced. */
  readonly titles: readonly string[];
  /** The full path that reads a secret; undefined when secrets of this mount cannot be synced. */
  readPath(mount: Pick<Mount, 'path' | 'type' | 'options'>, secretName: string): string | undefined;
}

/** Mount ids are unique, so at most one engine has a secret of a mount. */
export function syncedSecrets(engines: readonly EngineDefinition[], parts: EngineParts): SyncedSecrets {
  const sources = engines.flatMap(({ synced }) => (synced === undefined ? [] : [synced.open(parts)]));
  return {
    titles: engines.flatMap(({ title, synced }) => (synced === undefined ? [] : [title])),
    readPath(mount, secretName) {
      const below = engineOf(engines, mount)?.synced?.readPath(secretName);
      return below === undefined ? undefined : mount.path + below;
    },
    async current(mountId, secretName) {
      for (const source of sources) {
        const found = await source.current(mountId, secretName);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    below: (mountId, prefix, after, limit) => firstOf(sources, (source) => source.below(mountId, prefix, after, limit)),
    hold: (tx, mountId, secretNames) => firstOf(sources, (source) => source.hold(tx, mountId, secretNames)),
    describe: (db, mountId, secretNames) => firstOf(sources, (source) => source.describe(db, mountId, secretNames)),
    describeBelow: (mountId, prefix, after, limit) =>
      firstOf(sources, (source) => source.describeBelow(mountId, prefix, after, limit)),
  };
}

async function firstOf<T>(
  sources: readonly SecretSource[],
  ask: (source: SecretSource) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  for (const source of sources) {
    const found = await ask(source);
    if (found.length > 0) return found;
  }
  return [];
}

/** Expires at most `limit` versions of each engine. */
export async function expireSecrets(
  engines: readonly EngineDefinition[],
  store: Store,
  limit: number,
): Promise<readonly Dirty[]> {
  const dirty: Dirty[] = [];
  for (const engine of engines) dirty.push(...((await engine.expire?.(store, limit)) ?? []));
  return dirty;
}
