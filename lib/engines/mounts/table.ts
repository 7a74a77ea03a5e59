import { isRoot, type Namespace, rootNamespace } from '../../core/namespace.ts';
import type { Mount } from '../../path/contract/mount.ts';
import type { EngineParts, Mounts } from '../contract.ts';
import type { NamespaceState, NamespaceTable } from '../namespaces.ts';
import { findMount, type TableCopy, tableReader } from './copy.ts';
import { insertMount } from './insert.ts';
import { findMove, moveMount } from './move.ts';
import { deepest } from './namespaces/record.ts';
import type { FixedMount } from './record.ts';
import { type Emptied, removeMount } from './remove.ts';
import { tuneMount } from './tune.ts';

export interface MountTableParts extends Pick<EngineParts, 'store' | 'clock'> {
  readonly engines: readonly Emptied[];
  /** Of every namespace. */
  readonly fixed: readonly FixedMount[];
}

/** The mount table with its copy in memory. By itself it is that of the root. */
export interface CopiedMounts extends Mounts, NamespaceTable {
  /** A number that someone read in the store: an older copy is not used any more. */
  seenRevision(revision: number): void;
  /** Makes a change of the namespaces, and the copy old with it. */
  changing<T>(change: Promise<T>): Promise<T>;
}

/**
 * The mount table. Requests are resolved from a copy in memory; it is read again when somebody has seen a newer revision,
 * when this process has changed the table, and when nothing holds a path.
 */
export function openMountTable({ store, clock, engines, fixed }: MountTableParts): CopiedMounts {
  const reserved = fixed.map(({ path }) => path);
  const read = tableReader(store, fixed);
  let copy: TableCopy | undefined;
  let newest = 0;

  async function reload(): Promise<TableCopy> {
    const fresh = await read();
    if (copy === undefined || fresh.revision >= copy.revision) copy = fresh;
    return copy;
  }
  const present = async (): Promise<TableCopy> => (copy !== undefined && copy.revision >= newest ? copy : reload());
  // Also after a failure: the commit may have come through and only its answer was lost.
  const changing = <T>(change: Promise<T>): Promise<T> =>
    change.finally(() =>
      reload().catch(() => {
        copy = undefined;
      }),
    );
  async function resolve(path: string, { id }: Namespace): Promise<Mount | undefined> {
    const known = findMount(await present(), path, id);
    return known ?? findMount(await reload(), path, id);
  }
  const within = (namespace: Namespace): Mounts => ({
    in: within,
    resolve: (path, other = namespace) => resolve(path, other),
    list: async () => [...(await present()).mountsOf(namespace.id).values()],
    find: async (path): Promise<Mount | undefined> =>
      (await present()).mountsOf(namespace.id).get(path) ?? (await reload()).mountsOf(namespace.id).get(path),
    enable: (mount) => changing(store.transaction((tx) => insertMount(tx, mount, reserved, namespace))),
    disable: (path, changed, signal) => changing(removeMount({ store, engines }, namespace.id, path, changed, signal)),
    tune: (path, tune) => changing(store.transaction((tx) => tuneMount(tx, namespace.id, path, tune, fixed))),
    move: (from, to, changed) => changing(moveMount({ store, clock }, { namespace, from, to, reserved }, changed)),
    findMove: (id) => findMove({ store, clock }, id, namespace),
  });
  return {
    ...within(rootNamespace),
    changing,
    state: () => (copy !== undefined && copy.revision >= newest ? copy : undefined),
    seenRevision(revision) {
      newest = Math.max(newest, revision);
    },
    async locate(header, path) {
      const known = locate(await present(), header, path);
      return known ?? locate(await reload(), header, path);
    },
    async namespaceOf(id) {
      if (id === rootNamespace.id) return rootNamespace;
      const found = stateOf(await present(), id) ?? stateOf(await reload(), id);
      return found?.isEnding === false ? found : undefined;
    },
    async refresh() {
      await reload();
    },
    namespaces: async () => [...(await present()).namespaces.values()].filter((one) => !isRoot(one)),
  };
}

const stateOf = (copy: TableCopy, id: string): NamespaceState | undefined => {
  const path = copy.paths.get(id);
  return path === undefined ? undefined : copy.namespaces.get(path);
};

/** Undefined: the header names no namespace. */
function locate(copy: TableCopy, header: string, path: string) {
  if (header !== '' && !copy.namespaces.has(header)) return undefined;
  const full = header + path;
  const namespace = deepest(copy.namespaces, full);
  return { namespace, path: full.slice(namespace.path.length) };
}
