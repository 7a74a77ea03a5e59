import type { Engine } from '../path/contract/engine.ts';
import type { Mount } from '../path/contract/mount.ts';
import type { Dirty } from '../store/outbox.ts';
import type { Store } from '../store/store.ts';
import type { EngineDefinition, EngineParts, NewMount, SecretSource } from './contract.ts';

type Served = Pick<Mount, 'type' | 'options'>;

/** The engine of a mount; undefined: the list has none of its type, as for the mounts of auth methods. */
export function engineOf<E extends Pick<EngineDefinition, 'type' | 'version'>>(
  engines: readonly E[],
  { type, options }: Served,
): E | undefined {
  let first: E | undefined;
  for (const engine of engines) {
    if (engine.type !== type) continue;
    if (engine.version === options?.['version']) return engine;
    first ??= engine;
  }
  return first;
}

export const openEngines = (engines: readonly EngineDefinition[], parts: EngineParts): readonly Engine[] =>
  engines.map((engine) => ({
    ...engine.open(parts),
    type: engine.type,
    matches: (mount) => engineOf(engines, mount) === engine,
  }));

/** What a new store has mounted. */
export const firstMounts = (
  engines: readonly EngineDefinition[],
  when: 'production' | 'development',
): readonly NewMount[] =>
  engines.flatMap(({ type, version, first }) => {
    if (first?.when !== when) return [];
    const { path, description } = first;
    return [{ path, type, description, options: version === undefined ? null : { version } }];
  });

/** What the sync knows of all engines together. */
export interface SyncedSecrets extends SecretSource {
  /** Names for people of what can be synced. */
  readonly titles: readonly string[];
  /** The full path that reads a secret; undefined: secrets of this mount cannot be synced. */
  readPath(mount: Mount, secretName: string): string | undefined;
}

/** Ids of mounts are unique, so one engine at most knows a secret of a mount. */
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
    async hold(tx, mountId, secretName) {
      for (const source of sources) if (await source.hold(tx, mountId, secretName)) return true;
      return false;
    },
  };
}

/** Ends what has expired, at most `limit` of each engine. */
export async function expireSecrets(
  engines: readonly EngineDefinition[],
  store: Store,
  limit: number,
): Promise<readonly Dirty[]> {
  const dirty: Dirty[] = [];
  for (const engine of engines) dirty.push(...((await engine.expire?.(store, limit)) ?? []));
  return dirty;
}
