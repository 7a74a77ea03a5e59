import { type RawBuilder, sql } from 'kysely';

/**
 * Version rules as SQL, because they must hold while the row is locked. `s` is the row of `kv_secrets`; `settings` is one row
 * with the settings of the mount (see `mountSettings`), 0 and false when not set.
 */

/** Body of a common table expression with the settings of a mount, always one row. */
export const mountSettings = (mountId: string): RawBuilder<unknown> => sql`
  select coalesce(k.max_versions, 0) as max_versions, coalesce(k.cas_required, false) as cas_required,
         coalesce(k.delete_version_after, 0) as delete_version_after
    from (values (${mountId}::uuid)) as m (id) left join kv_mounts k on k.mount_id = m.id`;

/** Number of versions kept when neither the secret nor its mount sets it. */
const keptDefault = 10;

/** The greater of the two settings wins. */
export const keptVersions = (
  ofSecret: RawBuilder<unknown>,
  ofMount: RawBuilder<unknown> = sql`(select max_versions from settings)`,
): RawBuilder<unknown> => sql`coalesce(nullif(greatest(${ofSecret}, ${ofMount}), 0), ${sql.lit(keptDefault)})`;

/** The shorter of the two settings wins, counted from `now`; a negative setting of the mount disables both. */
export const deletionTime = (now: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  case when settings.delete_version_after >= 0
       then ${now} + least(nullif(settings.delete_version_after, 0), nullif(s.delete_version_after, 0)) * interval '1 second'
  end`;

/**
 * Whether the data of the version `v` can be read now; its deletion may lie in the future. Compares with the time of the
 * statement, because the transaction may have waited for the secret before it.
 */
export const isReadable: RawBuilder<unknown> = sql`
  (not v.destroyed and (v.deletion_time is null or v.deletion_time > statement_timestamp()))`;

/** The reason to refuse a write with this check-and-set parameter; undefined when it is allowed. */
export function casRefusal(cas: number | undefined, required: boolean, currentVersion: number): string | undefined {
  if (cas === undefined) return required ? casMissing : undefined;
  return cas === currentVersion ? undefined : casMismatch;
}

export const casMissing = 'check-and-set parameter required for this call';
export const casMismatch = 'check-and-set parameter did not match the current version';

/** The highest version number, which is the maximum of PostgreSQL's `integer`. */
export const versionMax = 2_147_483_647;

/**
 * Reads the check-and-set parameter in the forms that clients send: a number, a string of digits, `null` or an empty string for
 * 0, a bool. `unreadable` for any other form; -1, which matches no version, for a number that cannot be a version.
 */
export function readCas(given: unknown): number | 'unreadable' {
  if (given === null || given === '') return 0;
  if (typeof given === 'boolean') return given ? 1 : 0;
  const number = typeof given === 'string' && /^[+-]?\d{1,18}$/.test(given) ? Number(given) : given;
  if (typeof number !== 'number' || !Number.isInteger(number)) return 'unreadable';
  return number >= 0 && number <= versionMax ? number : -1;
}
