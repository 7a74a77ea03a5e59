import { sql } from 'kysely';
import { coalesce } from '../../../../core/concurrency/coalesce.ts';
import type { Store } from '../../../../store/store.ts';
import { locationsTable, type SecretLocation } from '../../shared/secret-path.ts';
import { type StoredData, storedData } from '../../shared/stored-version.ts';
import { isReadable } from '../versions/rules.ts';
import { versionMax } from '../versions/versions.ts';

/** `version` 0: the current one. */
export interface Wanted extends SecretLocation {
  readonly version: number;
}

/** A version as it is stored; `data` and `custom_metadata` are sealed. */
export interface VersionRow extends StoredData {
  readonly version: number;
  readonly id: string;
  readonly created_time: Date;
  readonly deletion_time: Date | null;
  readonly destroyed: boolean;
  /** By the clock of the store. */
  readonly readable: boolean;
  readonly custom_metadata: Buffer | null;
}

export type ReadVersion = (wanted: Wanted) => Promise<VersionRow | undefined>;

const limits = { batchSizeMax: 64, batchesMax: 4 };

/** Reads versions; reads that come together go to the database together. */
export function versionReader(store: Store): ReadVersion {
  const read = coalesce((batch: readonly Wanted[]) => readBatch(store, batch), limits);
  return async (wanted) => (wanted.version > versionMax ? undefined : read(wanted));
}

async function readBatch(store: Store, batch: readonly Wanted[]): Promise<readonly (VersionRow | undefined)[]> {
  // `offset 0` keeps the planner from mixing the two joins: the second is one look into the index per version then.
  const { rows } = await sql<VersionRow & { readonly n: number }>`
    select asked.n, v.version, v.id, ${storedData}, v.created_time, v.deletion_time, v.destroyed, ${isReadable} as readable, asked.custom_metadata
      from (
        select w.n::int as n, s.mount_id, s.path, s.oldest_version, s.custom_metadata,
               case when w.version > 0 then w.version else s.current_version end as version
          from ${locationsTable(batch, sql`(select ${batch.map(({ version }) => version)}::int[])`)} as w (mount_id, path, version, n)
         cross join lateral (
           select * from kv_secrets where mount_id = w.mount_id and path = w.path offset 0) s
        offset 0) as asked
      join kv_versions v on v.mount_id = asked.mount_id and v.path = asked.path and v.version = asked.version
     where asked.version >= asked.oldest_version`.execute(store.db);
  const found = new Map(rows.map((row) => [row.n, row]));
  return batch.map((_, index) => found.get(index + 1));
}

/** Looks whether secrets are there, many in one round trip. */
export function existenceCheck(store: Store): (location: SecretLocation) => Promise<boolean> {
  return coalesce(async (batch: readonly SecretLocation[]) => {
    const { rows } = await sql<{ readonly n: number }>`
      select w.n::int as n
        from ${locationsTable(batch)} as w (mount_id, path, n)
        join kv_secrets s on s.mount_id = w.mount_id and s.path = w.path`.execute(store.db);
    const found = new Set(rows.map(({ n }) => n));
    return batch.map((_, index) => found.has(index + 1));
  }, limits);
}
