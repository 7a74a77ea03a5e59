import { sql } from 'kysely';
import { coalesce } from '../../core/concurrency/coalesce.ts';
import type { Mount } from '../../path/row.ts';
import type { Store } from '../../store/store.ts';
import type { EngineDefinition, EngineParts, Mounts } from '../contract.ts';
import { insertMount } from './insert.ts';
import { findMove, moveMount } from './move.ts';
import { type FixedMount, fixedMount, type MountRow, toMount } from './record.ts';
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
    tune: (path, tune) => afterwards(store.transaction((tx) => tuneMount(tx, path, tune, always))),
    move: (from, to, changed) => afterwards(moveMount({ store, clock }, { from, to, reserved }, changed)),
    findMove: (id) => findMove({ store, clock }, id),
  };
}

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
  const stored = new Map(row.mounts.map((mount) => [mount.path, toMount(mount)]));
  for (const mount of fixed) stored.set(mount.path, tunedAs(mount, stored.get(mount.path)));
  const all = [...stored.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
  return { revision: row.revision, mounts: new Map(all.map((mount) => [mount.path, mount])) };
}

/** A mount that is always there, with what has been tuned of it. */
const tunedAs = (mount: Mount, row: Mount | undefined): Mount =>
  row === undefined ? mount : { ...mount, description: row.description, config: row.config };

/** The longest mount that holds the path. A mount's path without its slash means the mount. */
export function findMount(copy: TableCopy, path: string): Mount | undefined {
  const whole = path.endsWith('/') ? path : `${path}/`;
  for (let slash = whole.lastIndexOf('/'); slash > 0; slash = whole.lastIndexOf('/', slash - 1)) {
    const mount = copy.mounts.get(whole.slice(0, slash + 1));
    if (mount !== undefined) return mount;
  }
  return undefined;
}
