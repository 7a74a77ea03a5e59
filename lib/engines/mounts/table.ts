import type { Mount } from '../../path/row.ts';
import type { EngineDefinition, EngineParts, Mounts } from '../contract.ts';
import { findMount, type TableCopy, tableReader } from './copy.ts';
import { insertMount } from './insert.ts';
import { findMove, moveMount } from './move.ts';
import { type FixedMount, fixedMount } from './record.ts';
import { removeMount } from './remove.ts';
import { tuneMount } from './tune.ts';

export interface MountTableParts extends Pick<EngineParts, 'store' | 'clock'> {
  readonly engines: readonly EngineDefinition[];
  readonly fixed: readonly FixedMount[];
}

/** The mount table with its copy in memory. */
export interface CopiedMounts extends Mounts {
  /** A number that someone read in the store: an older copy is not used any more. */
  seenRevision(revision: number): void;
}

/**
 * The mount table. Requests are resolved from a copy in memory; it is read again when somebody has seen a newer revision,
 * when this process has changed the table, and when nothing holds a path.
 */
export function openMountTable({ store, clock, engines, fixed }: MountTableParts): CopiedMounts {
  const always = fixed.map(fixedMount);
  const reserved = fixed.map(({ path }) => path);
  const read = tableReader(store, always);
  let copy: TableCopy | undefined;
  let newest = 0;

  async function reload(): Promise<TableCopy> {
    const fresh = await read();
    if (copy === undefined || fresh.revision >= copy.revision) copy = fresh;
    return copy;
  }
  const present = async (): Promise<TableCopy> => (copy !== undefined && copy.revision >= newest ? copy : reload());
  // Also after a failure: the commit may have come through and only its answer was lost.
  const afterwards = <T>(change: Promise<T>): Promise<T> =>
    change.finally(() =>
      reload().catch(() => {
        copy = undefined;
      }),
    );

  return {
    async resolve(path) {
      const known = findMount(await present(), path);
      return known ?? findMount(await reload(), path);
    },
    seenRevision(revision) {
      newest = Math.max(newest, revision);
    },
    list: async () => [...(await present()).mounts.values()],
    find: async (path): Promise<Mount | undefined> =>
      (await present()).mounts.get(path) ?? (await reload()).mounts.get(path),
    enable: (mount) => afterwards(store.transaction((tx) => insertMount(tx, mount, reserved))),
    disable: (path, changed, signal) => afterwards(removeMount({ store, engines }, path, changed, signal)),
    tune: (path, tune) => afterwards(store.transaction((tx) => tuneMount(tx, path, tune))),
    move: (from, to, changed) => afterwards(moveMount({ store, clock }, { from, to, reserved }, changed)),
    findMove: (id) => findMove({ store, clock }, id),
  };
}
