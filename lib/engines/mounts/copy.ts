import { sql } from 'kysely';
import { coalesce } from '../../core/concurrency/coalesce.ts';
import type { Mount } from '../../path/row.ts';
import type { Store } from '../../store/store.ts';
import { type MountRow, toMount } from './record.ts';

/** The mount table as this process knows it. */
export interface TableCopy {
  readonly revision: number;
  readonly mounts: ReadonlyMap<string, Mount>;
}

/** Who comes while the table is being read waits for the next reading: what he knows of may be newer than this one. */
export function tableReader(store: Store, fixed: readonly Mount[]): () => Promise<TableCopy> {
  const read = coalesce(
    async (askers: readonly undefined[]) => {
      const copy = await readTable(store, fixed);
      return askers.map(() => copy);
    },
    { batchSizeMax: 10_000, batchesMax: 1 },
  );
  return () => read(undefined);
}

async function readTable(store: Store, fixed: readonly Mount[]): Promise<TableCopy> {
  const { rows } = await sql<{ readonly revision: number; readonly mounts: readonly MountRow[] }>`
    select revision, coalesce((select json_agg(m) from mounts m), '[]'::json) as mounts
      from revisions where name = 'mounts'`.execute(store.db);
  const [row = { revision: 0, mounts: [] }] = rows;
  const all = [...fixed, ...row.mounts.map(toMount)].sort((one, other) => (one.path < other.path ? -1 : 1));
  return { revision: row.revision, mounts: new Map(all.map((mount) => [mount.path, mount])) };
}

/** The longest mount that holds the path. A mount's path without its slash means the mount. */
export function findMount(copy: TableCopy, path: string): Mount | undefined {
  const whole = path.endsWith('/') ? path : `${path}/`;
  for (let slash = whole.lastIndexOf('/'); slash > 0; slash = whole.lastIndexOf('/', slash - 1)) {
    const mount = copy.mounts.get(whole.slice(0, slash + 1));
    if (mount !== undefined) return mount;
  }
  return undefined;
}
