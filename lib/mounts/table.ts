import { isRoot, type Namespace, rootNamespace } from '#core/namespace.ts';
import type { Mount } from '#path/contract/mount.ts';
import type { Store } from '#store/store.ts';
import type { CopiedMounts, Mounts } from './contract/mounts.ts';
import type { NamespaceState } from './contract/namespaces.ts';
import { findMount, type TableCopy } from './copy.ts';
import { openCurrentCopy } from './current.ts';
import { insertMount } from './insert.ts';
import { findMove, moveMount } from './move.ts';
import { deepest } from './namespaces/record.ts';
import type { FixedMount } from './record.ts';
import { listRemovals } from './removal/continue.ts';
import { disableMount, type Emptied } from './removal/remove.ts';
import { tuneMount } from './tune.ts';

export interface MountTableParts {
  readonly store: Store;
  readonly engines: readonly Emptied[];
  /** Built-in mounts of every namespace. */
  readonly fixed: readonly FixedMount[];
}

/**
 * The mount table. Requests are resolved from a copy in memory. The copy is read again when a newer revision was seen, when this
 * process has changed the table, and when no mount holds a path and the store has a newer revision.
 */
export function openMountTable({ store, engines, fixed }: MountTableParts): CopiedMounts {
  const reserved = fixed.map(({ path }) => path);
  const { present, renewed, known, seenRevision, outdate } = openCurrentCopy(store, fixed);
  // Also after a failure: the commit may have succeeded and only its reply was lost.
  const changing = <T>(change: Promise<T>): Promise<T> =>
    change.finally(() => {
      outdate();
      return present().catch(() => undefined);
    });
  /** Looks in the copy first, and asks the store only when the copy has no match. */
  const found = <T>(look: (copy: TableCopy) => T | undefined): Promise<T | undefined> => {
    const copy = known();
    const there = copy && look(copy);
    return there === undefined ? foundLater(look) : Promise.resolve(there);
  };
  const foundLater = async <T>(look: (copy: TableCopy) => T | undefined): Promise<T | undefined> =>
    look(await present()) ?? look(await renewed());
  const resolve = (path: string, { id }: Namespace): Promise<Mount | undefined> =>
    found((copy) => findMount(copy, path, id));
  const within = (namespace: Namespace): Mounts => ({
    in: within,
    resolve: (path, other = namespace) => resolve(path, other),
    list: async () => [...(await present()).mountsOf(namespace.id).values()],
    find: (path): Promise<Mount | undefined> => found((copy) => copy.mountsOf(namespace.id).get(path)),
    enable: (mount) => changing(store.transaction((tx) => insertMount(tx, mount, reserved, namespace))),
    disable: (path, changed, signal) => changing(disableMount({ store, engines, changed }, namespace.id, path, signal)),
    tune: (path, tune) => changing(store.transaction((tx) => tuneMount(tx, namespace.id, path, tune, fixed))),
    move: (from, to, changed) => changing(moveMount({ store }, { namespace, from, to, reserved }, changed)),
    removals: () => listRemovals(store, namespace.id),
    findMove: (id) => findMove({ store }, id, namespace),
  });
  return {
    ...within(rootNamespace),
    changing,
    state: known,
    seenRevision,
    locate: (header, path) => found((copy) => locate(copy, header, path)),
    async namespaceOf(id) {
      if (id === rootNamespace.id) return rootNamespace;
      const state = await found((copy) => stateOf(copy, id));
      return state?.isEnding === false ? state : undefined;
    },
    async refresh() {
      await renewed();
    },
    async askStore() {
      await renewed();
    },
    namespaces: async () => [...(await present()).namespaces.values()].filter((one) => !isRoot(one)),
  };
}

const stateOf = (copy: TableCopy, id: string): NamespaceState | undefined => {
  const path = copy.paths.get(id);
  return path === undefined ? undefined : copy.namespaces.get(path);
};

/** Undefined when the header names no namespace. */
function locate(copy: TableCopy, header: string, path: string) {
  if (header !== '' && !copy.namespaces.has(header)) return undefined;
  const full = header + path;
  const namespace = deepest(copy.namespaces, full);
  return { namespace, path: full.slice(namespace.path.length) };
}
