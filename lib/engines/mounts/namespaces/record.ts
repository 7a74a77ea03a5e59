import { rootNamespace } from '../../../core/namespace.ts';
import type { NamespaceState } from '../../namespaces.ts';

/** What the copy in memory has of a row of the table `namespaces`. */
export interface NamespaceRow {
  readonly id: string;
  readonly uuid: string;
  readonly path: string;
  readonly custom_metadata: Readonly<Record<string, string>>;
  readonly locked: boolean;
  readonly deleted: boolean;
}

const root: NamespaceState = {
  ...rootNamespace,
  uuid: '00000000-0000-0000-0000-000000000000',
  customMetadata: {},
  locked: false,
  lockedBy: undefined,
  isEnding: false,
};

/** Namespaces by path, the root among them. What holds for one holds for all below. */
export function namespaceTree(rows: readonly NamespaceRow[]): ReadonlyMap<string, NamespaceState> {
  const tree = new Map([[root.path, root]]);
  for (const row of [...rows].sort((one, other) => one.path.length - other.path.length)) {
    const above = tree.get(parentPath(row.path)) ?? root;
    tree.set(row.path, {
      id: row.id,
      uuid: row.uuid,
      path: row.path,
      customMetadata: row.custom_metadata,
      locked: row.locked,
      lockedBy: above.lockedBy ?? (row.locked ? row.path : undefined),
      isEnding: above.isEnding || row.deleted,
    });
  }
  return tree;
}

/** `a/` of `a/b/`, and the root's of `a/`. */
export const parentPath = (path: string): string => path.slice(0, path.lastIndexOf('/', path.length - 2) + 1);

/** The longest path of a namespace that a path begins with. Above a namespace there are namespaces only. */
export function deepest(tree: ReadonlyMap<string, NamespaceState>, path: string): NamespaceState {
  let found = root;
  if (tree.size === 1) return found;
  const whole = path.endsWith('/') ? path : `${path}/`;
  for (let slash = whole.indexOf('/'); slash > 0; slash = whole.indexOf('/', slash + 1)) {
    const next = tree.get(whole.slice(0, slash + 1));
    if (next === undefined) return found;
    found = next;
  }
  return found;
}
