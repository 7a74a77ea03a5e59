import { type RawBuilder, sql } from 'kysely';
import type { SyncRecord } from '../store/tables.ts';
import type { Claimed } from './claim.ts';
import type { Written } from './plan.ts';
import { relaxedCommit } from './relaxed.ts';

export interface ClaimTimes {
  /** How long a claim holds. */
  readonly leaseMs: number;
  /** Between two pushes of one association, for each change that waits; 0: none. */
  readonly spacingMs: number;
}

/** However many changes wait: so often at least a burst of any length is pushed. */
const spacingsMax = 25;

/**
 * When an association `a` may be pushed again: the more changes have come since, the later, because more will. So a secret
 * that is written once is pushed at once, and one that is written a thousand times in a row a handful of times (rule 3 of the
 * sync). Null: nothing of it has been pushed.
 */
export const spacedUntil = ({ spacingMs }: ClaimTimes): RawBuilder<Date | null> => sql`(
  select max(o.written_at) from sync_objects o where o.association_id = a.id)
  + least(a.generation - a.observed_generation, ${spacingsMax}::int) * ${spacingMs}::float8 * interval '1 millisecond'`;

/** An association as the statement answers it. */
export interface ClaimedRow extends Omit<Claimed, 'kind' | 'token' | 'objects' | 'confirmed' | 'storeAheadMs'> {
  /** The time of the database, in milliseconds since 1970. */
  readonly store_ms: number;
  readonly objects: readonly ObjectRow[] | null;
  readonly records: readonly SyncRecord[] | null;
}

/** An object: sub key, external name, name key, mark, intended at, written, remote version, fingerprint in hexadecimal, tag keys. */
type ObjectRow = readonly [string, string, string, string, string, boolean, string | null, string | null, string[]];

// What has waited (for the configuration, say) sees the newest row of what it locks, and of all else what was there when it
// began: a generation could come with the settings and objects of the one before it, and those would stay. So only a row
// that is still the one of the beginning is taken. A lock on the destinations would starve those who change them.
// Plain columns, and arrays for the objects: building and parsing named JSON for each took longer than the claim itself.
export const claimStatement = (
  ids: readonly string[],
  token: string,
  { leaseMs, spacingMs }: ClaimTimes,
) => sql<ClaimedRow>`
  with relaxed as (${relaxedCommit}),
  config as (select disabled from sync_config where id = 1 for share),
  free as (
    select a.id, a.xmin as version from associations a, config
     where a.id = any(${ids}::bigint[]) and not config.disabled and a.generation > a.observed_generation
       and (a.claimed_until is null or a.claimed_until <= now())
       and (a.forced_generation > a.observed_generation or a.desired = 'absent'
            or coalesce(${spacedUntil({ leaseMs, spacingMs })} <= now(), true))
     order by a.id for no key update of a skip locked
  ),
  unchanged as (select free.id from free join associations a on a.id = free.id and a.xmin = free.version),
  taken as (
    update associations a
       set claimed_by = ${token}, claimed_until = now() + ${leaseMs} * interval '1 millisecond', next_attempt_at = null
      from unchanged, relaxed where a.id = unchanged.id
    returning a.*
  )
  select t.id, t.destination_id as "destinationId", d.revision as "destinationRevision", d.name as "destinationName", t.type,
         t.mount_id as "mountId", t.mount_path as "mountPath", t.mount_accessor as "mountAccessor",
         t.secret_name as "secretName", t.granularity, t.template, t.adopt or d.adopt as adopt, t.desired, t.generation,
         t.forced_generation > t.observed_generation as forced, t.generation = t.observed_generation + 1 as recorded,
         t.attempts, d.custom_tags as tags, (extract(epoch from now()) * 1000)::float8 as store_ms,
         (select json_agg(json_build_array(o.sub_key, o.external_name, o.name_key, o.mark, o.intended_at,
                   o.written_at is not null, o.remote_version, encode(o.fingerprint, 'hex'), o.tag_keys))
            from sync_objects o where o.association_id = t.id) as objects,
         case when t.records @> '[{"status": "SYNCED"}]' and t.records @? '$[*].generation' then t.records end as records
    from taken t join destinations d on d.id = t.destination_id`;

/** @param askedMs when the statement was sent, in milliseconds since 1970 */
export function toClaimed({ objects, records, store_ms, ...row }: ClaimedRow, token: string, askedMs: number): Claimed {
  const confirmed = (records ?? []).filter(
    ({ status, generation }) => status === 'SYNCED' && generation === row.generation,
  );
  return {
    ...row,
    kind: 'claimed',
    token,
    storeAheadMs: store_ms - askedMs,
    objects: (objects ?? []).map(toWritten),
    confirmed: confirmed.map(({ external_name }) => external_name),
  };
}

function toWritten(row: ObjectRow): Written {
  const [subKey, name, nameKey, mark, intendedAt, written, remoteVersion, fingerprint, tagKeys] = row;
  return {
    subKey,
    name,
    nameKey,
    mark,
    intendedAt: new Date(intendedAt),
    written,
    remoteVersion,
    fingerprint: fingerprint === null ? null : Buffer.from(fingerprint, 'hex'),
    tagKeys,
  };
}
