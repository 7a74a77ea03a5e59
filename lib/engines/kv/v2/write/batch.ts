import { type Kysely, type RawBuilder, sql } from 'kysely';
import { markDirty } from '#store/outbox.ts';
import { int } from '#store/sql/kinds.ts';
import { type From, prepared } from '#store/sql/prepared.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import { writesTable } from '../../shared/gathered-writes.ts';
import { deletionTime, keptVersions } from '../rules/versions.ts';
import { type NewVersion, nextVersion, type WrittenRow, writtenColumns } from './statement.ts';

/**
 * Writes versions of different secrets in one statement, each as `insertVersion` does. Undefined means that this write was refused
 * and changed nothing. A secret that another transaction has locked is refused too: a batch does not wait for secrets, so one
 * write cannot delay the others and two batches cannot deadlock.
 *
 * It waits for keys that others are inserting and for associations, and locks both in order. New secrets come first, while the
 * batch holds no lock that another could wait for; their mounts are locked, so that the removal of a mount waits for the batch
 * and never the other way round. Old versions are removed before the associations are locked, as in every write.
 */
export async function insertVersions(
  db: Kysely<Database>,
  versions: readonly NewVersion[],
): Promise<readonly (WrittenRow | undefined)[]> {
  const rows = await insertStatement(db, versions);
  const found = new Map(rows.map((row) => [row.n, row]));
  return versions.map((_, index) => found.get(index + 1));
}

const insertedColumns = { ...writtenColumns, n: int };

const insertStatement = prepared(
  insertedColumns,
  (from: From<readonly NewVersion[]>) => rowsOf(insertedColumns)`
    with input as (${withAuthors(from)}),
    seen as materialized (${seen}),
    mount as (
      select id from mounts where id in (select mount_id from seen where revision is null) for key share skip locked
    ),
    made as (${makeSecrets}),
    taken as (${takeSecrets}),
    moved as (
      update kv_secrets s set ${nextVersion({ now: sql`i.now`, by: sql`i.by_update`, keptOfMount: sql`i.max_versions` })}
        from taken i
       where s.mount_id = i.mount_id and s.path = i.path
      returning s.*
    ),
    written as (
      select settings.n, settings.id, settings.data, s.*, ${deletionTime(sql`s.updated_time`)} as deletion_time
        from (select * from moved union all select * from made) s
        join seen settings on settings.mount_id = s.mount_id and settings.path = s.path
    ),
    version as (
      insert into kv_versions (mount_id, path, version, id, data, created_time, deletion_time, destroyed, deletion_seen,
                               created_by)
      select mount_id, path, current_version, id, data, updated_time, deletion_time, false, false, last_updated_by
        from written
    ),
    dropped as (
      delete from kv_versions v using moved s
       where v.mount_id = s.mount_id and v.path = s.path and v.version < s.oldest_version
      returning 1
    ),
    touched as (
      select a.id, w.n from written w
        join associations a on a.mount_id = w.mount_id and a.secret_name = w.path and a.desired = 'present'
       where (select count(*) from dropped) >= 0
       order by a.id for no key update of a
    ),
    dirty as (${markDirty(sql`id in (select id from touched)`)})
    select w.n, w.current_version as version, w.updated_time as created_time, w.deletion_time, w.custom_metadata,
           coalesce((select json_agg(d) from dirty d join touched t on t.id = d.id::bigint where t.n = w.n), '[]'::json) as dirty
      from written w`,
);

const withAuthors = (from: From<readonly NewVersion[]>): RawBuilder<unknown> => sql`
  select w.*, a.by_create::jsonb as by_create, a.by_update::jsonb as by_update
    from (${writesTable(from)}) w
    join unnest((select ${from((versions) => versions.map(({ by }) => by.create))}::text[]),
                (select ${from((versions) => versions.map(({ by }) => by.update))}::text[]))
         with ordinality as a (by_create, by_update, n) on a.n = w.n`;

/**
 * The secrets in the snapshot (`revision` is null when a secret does not exist), with the settings of their mounts. Here and
 * below each secret is looked up separately: a plan made while the table was small would read the whole table.
 */
const seen: RawBuilder<unknown> = sql`
  select i.*, s.revision, coalesce(k.max_versions, 0) as max_versions, coalesce(k.cas_required, false) as cas_required,
         coalesce(k.delete_version_after, 0) as delete_version_after
    from input i
    left join kv_mounts k on k.mount_id = i.mount_id
    left join lateral (
      select revision from kv_secrets where mount_id = i.mount_id and path = i.path offset 0
    ) s on true`;

const makeSecrets: RawBuilder<unknown> = sql`
  insert into kv_secrets (mount_id, path, current_version, oldest_version, created_time, updated_time, max_versions,
                          cas_required, delete_version_after, custom_metadata, last_updated_by)
  select i.mount_id, i.path, 1, greatest(0, 2 - ${keptVersions(sql`0`, sql`i.max_versions`)}), i.now, i.now, 0, false, 0, null,
         i.by_create
    from seen i join mount on mount.id = i.mount_id
   where i.revision is null and (i.cas = 0 or i.cas is null and not i.cas_required)
   order by i.mount_id, i.path
  on conflict (mount_id, path) do nothing
  returning *`;

/** Locks the secrets to be written; a row that changed since the snapshot is skipped (see `insertVersion`). */
const takeSecrets: RawBuilder<unknown> = sql`
  select i.mount_id, i.path, i.now, i.max_versions, i.by_update from seen i
   cross join lateral (
     select s.revision from kv_secrets s
      where s.mount_id = i.mount_id and s.path = i.path
        and (s.current_version = i.cas or i.cas is null and not s.cas_required and not i.cas_required)
        for no key update skip locked) s
   where s.revision = i.revision and (select count(*) from made) >= 0`;
