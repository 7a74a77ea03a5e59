import { rootNamespace } from '#core/namespace.ts';
import type { Mount } from '#path/contract/mount.ts';
import { objectsOf, type RowOf } from '#store/sql/columns.ts';
import { int, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { mountsTable } from '#store/tables/mounts.ts';
import type { NamespaceState } from './contract/namespaces.ts';
import { namespaceColumns, namespaceTree } from './namespaces/record.ts';
import { type FixedMount, fixedMount, toMount } from './record.ts';

/** The namespaces and their mounts as this process knows them. */
export interface TableCopy {
  readonly revision: number;
  /** By path, including the root. */
  readonly namespaces: ReadonlyMap<string, NamespaceState>;
  /** The path of a namespace by its id. */
  readonly paths: ReadonlyMap<string, string>;
  /** The mounts of a namespace by path, including the built-in ones. */
  mountsOf(namespaceId: string): NamespaceMounts;
}

/** The mounts of a namespace by path. */
export interface NamespaceMounts extends ReadonlyMap<string, Mount> {
  /** Length of the longest path, in characters. */
  readonly pathLengthMax: number;
}

type Read = RowOf<typeof readColumns>;

const { created_at, removed_at, ...ofMount } = mountsTable;
const readColumns = {
  revision: int,
  mounts: objectsOf({ ...ofMount, created_at: text, removed_at: nullable(text) }),
  namespaces: objectsOf(namespaceColumns),
};

/** Reads everything in one statement, so that the revision belongs to exactly these rows. */
export async function readTable(store: Store, fixed: readonly FixedMount[]): Promise<TableCopy> {
  const { rows } = await rowsOf(readColumns)`
    select revision, coalesce((select json_agg(m) from mounts m where removed_at is null), '[]'::json) as mounts,
           coalesce((select json_agg(json_build_object(
             'id', id, 'uuid', uuid, 'path', path, 'custom_metadata', custom_metadata,
             'locked', unlock_key is not null, 'deleted', deleted_at is not null)) from namespaces), '[]'::json) as namespaces
      from revisions where name = 'mounts'`.execute(store.db);
  const { revision, mounts, namespaces: states } = rows[0] ?? { revision: 0, mounts: [], namespaces: [] };
  const namespaces = namespaceTree(states);
  return {
    revision,
    namespaces,
    paths: new Map([...namespaces.values()].map(({ id, path }) => [id, path])),
    mountsOf: mountsByNamespace(mounts, fixed),
  };
}

/** Sorts the mounts of a namespace on first use: for most namespaces that never happens before the next change. */
function mountsByNamespace(rows: Read['mounts'], fixed: readonly FixedMount[]): TableCopy['mountsOf'] {
  const stored = Map.groupBy(rows, ({ namespace_id }) => namespace_id);
  const known = new Map<string, NamespaceMounts>();
  return (namespaceId) => {
    const found = known.get(namespaceId);
    if (found !== undefined) return found;
    const all = new Map((stored.get(namespaceId) ?? []).map((row) => [row.path, toMount(row)]));
    for (const mount of fixed) all.set(mount.path, tunedAs(fixedMount(mount, namespaceId), all.get(mount.path)));
    const sorted = new Map([...all].sort(([one], [other]) => (one < other ? -1 : 1)));
    const pathLengthMax = Math.max(0, ...[...all.keys()].map(({ length }) => length));
    const mounts = Object.assign(sorted, { pathLengthMax });
    known.set(namespaceId, mounts);
    return mounts;
  };
}

/** A built-in mount with its tuned settings. */
const tunedAs = (mount: Mount, row: Mount | undefined): Mount =>
  row === undefined ? mount : { ...mount, description: row.description, config: row.config };

/**
 * The longest mount that holds the path. A mount's path without its slash means the mount. Only the part of the path that can
 * be a mount's is examined, so that a path of thousands of segments costs no more than any other.
 */
export function findMount(copy: TableCopy, path: string, namespaceId = rootNamespace.id): Mount | undefined {
  const mounts = copy.mountsOf(namespaceId);
  const whole = path.endsWith('/') ? path : `${path}/`;
  for (
    let slash = whole.lastIndexOf('/', mounts.pathLengthMax - 1);
    slash > 0;
    slash = whole.lastIndexOf('/', slash - 1)
  ) {
    const mount = mounts.get(whole.slice(0, slash + 1));
    if (mount !== undefined) return mount;
  }
  return undefined;
}
