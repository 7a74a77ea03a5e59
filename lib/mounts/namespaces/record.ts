import { rootNamespace } from '#core/namespace.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { bool } from '#store/sql/kinds.ts';
import { namespacesTable } from '#store/tables/mounts.ts';
import type { NamespaceState } from '../contract/namespaces.ts';

/** The columns of the table `namespaces` that the copy in memory holds. */
export const namespaceColumns = {
  ...pick(namespacesTable, 'id', 'uuid', 'path', 'custom_metadata'),
  locked: bool,
  deleted: bool,
};

export type NamespaceRow = RowOf<typeof namespaceColumns>;

const root: NamespaceState = {
  ...rootNamespace,
  uuid: '00000000-0000-0000-0000-000000000000',
  customMetadata: {},
  locked: false,
  lockedBy: undefined,
  isEnding: false,
};

/** Namespaces by path, including the root. Locks and deletions also apply to the namespaces below. */
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

/** The parent of `a/b/` is `a/`; the parent of `a/` is the root's empty path. */
export const parentPath = (path: string): string => path.slice(0, path.lastIndexOf('/', path.length - 2) + 1);

/** The deepest namespace whose path is a prefix of `path`. Every ancestor of a namespace is a namespace. */
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
