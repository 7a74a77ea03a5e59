import { type Kysely, type RawBuilder, sql } from 'kysely';
import { dirtyColumns, markDirty, ofSecret } from '#store/outbox.ts';
import { objectsOf, pick, type RowOf } from '#store/sql/columns.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { kvSecretsTable, kvVersionsTable } from '#store/tables/secrets.ts';
import type { Database } from '#store/tables.ts';
import type { SealedWrite } from '../../shared/gathered-writes.ts';
import type { Authors } from '../attribution.ts';
import { deletionTime, keptVersions, mountSettings } from '../rules/versions.ts';

/** A new version, ready to be stored. */
export interface NewVersion extends SealedWrite {
  readonly id: string;
  /** Undefined to follow any version. */
  readonly cas: number | undefined;
  readonly by: Authors;
}

/** The result of a write. */
export type WrittenRow = RowOf<typeof writtenColumns>;

export const writtenColumns = {
  version: int,
  ...pick(kvVersionsTable, 'created_time', 'deletion_time'),
  ...pick(kvSecretsTable, 'custom_metadata'),
  dirty: objectsOf(dirtyColumns),
};

/**
 * Writes a version in one statement: locks the secret's row, which serializes concurrent writes, checks cas, numbers and inserts
 * the version, drops versions beyond the limit, and marks the associations dirty. Undefined means refused, with nothing changed.
 *
 * All parts of a statement see one snapshot, taken at its start. If the row has changed since, there may be versions or
 * associations that this statement cannot see, so it refuses (`revision`). It also refuses a row that another transaction has
 * locked: waiting for it would be in vain and delay the writes that wait for this statement.
 */
export async function insertVersion(db: Kysely<Database>, version: NewVersion): Promise<WrittenRow | undefined> {
  const { mountId, path, id, data, cas, by } = version;
  const { rows } = await rowsOf(writtenColumns)`
    with input as (select ${mountId}::uuid as mount_id, ${path}::text as path, statement_timestamp() as now),
    settings as (${mountSettings(mountId)}),
    seen as materialized (select k.revision from kv_secrets k, input i where k.mount_id = i.mount_id and k.path = i.path),
    taken as (
      select k.revision from seen, kv_secrets k, input i
       where k.mount_id = i.mount_id and k.path = i.path and k.revision = seen.revision
         for no key update of k skip locked
    ),
    secret as (${cas === undefined || cas === 0 ? takeOrMake(cas, by) : takeVersion(cas, by)}),
    version as (
      insert into kv_versions (mount_id, path, version, id, data, created_time, deletion_time, destroyed, deletion_seen,
                               created_by)
      select s.mount_id, s.path, s.current_version, ${id}::uuid, ${data}::bytea, s.updated_time,
             ${deletionTime(sql`s.updated_time`)}, false, false, s.last_updated_by
        from secret s cross join settings
      returning deletion_time
    ),
    dropped as (
      delete from kv_versions v using secret s
       where v.mount_id = s.mount_id and v.path = s.path and v.version < s.oldest_version
      returning 1
    ),
    dirty as (${markDirty(sql`${ofSecret(mountId, path)} and exists (select from secret) and ${afterDropped}`)})
    select s.current_version as version, s.updated_time as created_time, v.deletion_time, s.custom_metadata,
           coalesce((select json_agg(d) from dirty d), '[]'::json) as dirty
      from secret s cross join version v`.execute(db);
  return rows[0];
}

/** Removes old versions before locking associations; a transaction that locks them in the other order could deadlock. */
const afterDropped = sql`(select count(*) from dropped) >= 0`;

/** Without cas, or with cas 0, the secret may not exist yet. */
const takeOrMake = (cas: 0 | undefined, by: Authors): RawBuilder<unknown> => sql`
  insert into kv_secrets as s (mount_id, path, current_version, oldest_version, created_time, updated_time, max_versions,
                               cas_required, delete_version_after, custom_metadata, last_updated_by)
  select i.mount_id, i.path, 1, greatest(0, 2 - ${keptVersions(sql`0`)}), i.now, i.now, 0, false, 0, null,
         ${by.create}::jsonb
    from input i cross join settings
   where ${cas === 0 ? sql`true` : sql`not settings.cas_required`}
     and (exists (select from taken) or not exists (select from seen))
  on conflict (mount_id, path) do update
    set ${nextVersion({ now: sql`excluded.updated_time`, by: sql`${by.update}::jsonb` })}
  where s.revision = (select revision from taken) and ${cas === 0 ? sql`s.current_version = 0` : sql`not s.cas_required`}
  returning s.*`;

/** With any other cas the secret must exist. */
const takeVersion = (cas: number, by: Authors): RawBuilder<unknown> => sql`
  update kv_secrets s set ${nextVersion({ now: sql`i.now`, by: sql`${by.update}::jsonb` })}
    from input i
   where s.mount_id = i.mount_id and s.path = i.path and s.current_version = ${cas}::int
     and s.revision = (select revision from taken)
  returning s.*`;

interface NextVersion {
  readonly now: RawBuilder<unknown>;
  readonly by: RawBuilder<unknown>;
  /** The setting `max_versions` of the mount. */
  readonly keptOfMount?: RawBuilder<unknown>;
}

export const nextVersion = ({ now, by, keptOfMount }: NextVersion): RawBuilder<unknown> => sql`
  current_version = s.current_version + 1, updated_time = ${now}, last_updated_by = ${by}, revision = s.revision + 1,
  oldest_version = greatest(s.oldest_version, s.current_version + 2 - ${keptVersions(sql`s.max_versions`, keptOfMount)})`;
