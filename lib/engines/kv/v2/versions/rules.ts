import { type RawBuilder, sql } from 'kysely';

/**
 * Rules of versions as SQL, because they must hold under the row's lock. `s` is the row of `kv_secrets`, `settings` one row
 * with the settings of the mount (see `mountSettings`), 0 and false where nothing is set.
 */

/** A common table expression body: the settings of a mount, always one row. */
export const mountSettings = (mountId: string): RawBuilder<unknown> => sql`
  select coalesce(k.max_versions, 0) as max_versions, coalesce(k.cas_required, false) as cas_required,
         coalesce(k.delete_version_after, 0) as delete_version_after
    from (values (${mountId}::uuid)) as m (id) left join kv_mounts k on k.mount_id = m.id`;

/** How many versions are kept where neither the secret nor its mount says it. */
const keptDefault = 10;

/** The greater of the two settings wins. */
export const keptVersions = (
  ofSecret: RawBuilder<unknown>,
  ofMount: RawBuilder<unknown> = sql`(select max_versions from settings)`,
): RawBuilder<unknown> => sql`coalesce(nullif(greatest(${ofSecret}, ${ofMount}), 0), ${sql.lit(keptDefault)})`;

/** The shorter of the two settings wins, counted from `now`; a negative setting of the mount switches both off. */
export const deletionTime = (now: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  case when settings.delete_version_after >= 0
       then ${now} + least(nullif(settings.delete_version_after, 0), nullif(s.delete_version_after, 0)) * interval '1 second'
  end`;

/**
 * Whether the data of the version `v` can be read now: a deletion may lie in the future. Times are those of the statement, since a transaction
 * may have waited for the secret before it.
 */
export const isReadable: RawBuilder<unknown> = sql`
  (not v.destroyed and (v.deletion_time is null or v.deletion_time > statement_timestamp()))`;
