import { sql } from 'kysely';
import { coalesce } from '#core/concurrency/coalesce.ts';
import type { EngineParts } from '#engines/contract.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { bool, int } from '#store/sql/kinds.ts';
import { type From, prepared } from '#store/sql/prepared.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { kvSecretsTable, kvVersionsTable } from '#store/tables/secrets.ts';
import { locationsTable, type SecretLocation } from '../../shared/secret-path.ts';
import { storedData, storedDataColumns } from '../../shared/stored-version.ts';
import { isReadable, versionMax } from '../rules/versions.ts';

/** A version to read; 0 is the current one. */
export interface Wanted extends SecretLocation {
  readonly version: number;
}

/** A version as stored; `data` and `custom_metadata` are encrypted. */
export type VersionRow = RowOf<typeof storedVersionColumns> & Pick<RowOf<typeof foundColumns>, 'custom_metadata'>;

/** The columns of a version itself. */
export const storedVersionColumns = {
  ...storedDataColumns,
  ...pick(kvVersionsTable, 'version', 'id', 'created_time', 'deletion_time', 'destroyed'),
  /** By the clock of the database. */
  readable: bool,
};

const foundColumns = { ...storedVersionColumns, ...pick(kvSecretsTable, 'custom_metadata'), n: int };

export type ReadVersion = (wanted: Wanted) => Promise<VersionRow | undefined>;

/** The parts reads work with. */
export interface ReadParts extends EngineParts {
  readonly readVersion: ReadVersion;
}

const limits = { batchSizeMax: 64, batchesMax: 4 };

/** Reads versions; concurrent reads share one round trip. */
export function versionReader(store: Store): ReadVersion {
  const read = coalesce((batch: readonly Wanted[]) => readBatch(store, batch), limits);
  return (wanted) => (wanted.version > versionMax ? Promise.resolve(undefined) : read(wanted));
}

async function readBatch(store: Store, batch: readonly Wanted[]): Promise<readonly (VersionRow | undefined)[]> {
  const rows = await readStatement(store.db, batch);
  const found = new Map(rows.map((row) => [row.n, row]));
  return batch.map((_, index) => found.get(index + 1));
}

/** `offset 0` keeps the planner from reordering the joins, so that the second is one index lookup per version. */
const readStatement = prepared(
  foundColumns,
  (from: From<readonly Wanted[]>) => rowsOf(foundColumns)`
    select asked.n, v.version, v.id, ${storedData}, v.created_time, v.deletion_time, v.destroyed, ${isReadable} as readable, asked.custom_metadata
      from (
        select w.n::int as n, s.mount_id, s.path, s.oldest_version, s.custom_metadata,
               case when w.version > 0 then w.version else s.current_version end as version
          from ${locationsTable(from, sql`(select ${from((batch) => batch.map(({ version }) => version))}::int[])`)} as w (mount_id, path, version, n)
         cross join lateral (
           select * from kv_secrets where mount_id = w.mount_id and path = w.path offset 0) s
        offset 0) as asked
      join kv_versions v on v.mount_id = asked.mount_id and v.path = asked.path and v.version = asked.version
     where asked.version >= asked.oldest_version`,
);

/** Checks whether secrets exist; concurrent checks share one round trip. */
export function existenceCheck(store: Store): (location: SecretLocation) => Promise<boolean> {
  return coalesce(async (batch: readonly SecretLocation[]) => {
    const rows = await existsStatement(store.db, batch);
    const found = new Set(rows.map(({ n }) => n));
    return batch.map((_, index) => found.has(index + 1));
  }, limits);
}

const existsStatement = prepared(
  { n: int },
  (from: From<readonly SecretLocation[]>) => rowsOf({ n: int })`
    select w.n::int as n
      from ${locationsTable(from)} as w (mount_id, path, n)
      join kv_secrets s on s.mount_id = w.mount_id and s.path = w.path`,
);
