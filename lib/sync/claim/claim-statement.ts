import { type RawBuilder, sql } from 'kysely';
import type { Written } from '../reconcile/plan/plan.ts';
import type { SyncRecord } from '../rows/associations/tables.ts';
import { asynchronousCommit } from './asynchronous-commit.ts';
import type { Claimed } from './claim.ts';

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
 * sync). Null: nothing of it has been pushed. A push in the future does not count: the clock went back since.
 */
export const spacedUntil = ({ spacingMs }: ClaimTimes): RawBuilder<Date | null> => sql`(
  select max(o.written_at) from sync_objects o where o.association_id = a.id and o.written_at <= now())
  + least(a.generation - a.observed_generation, ${spacingsMax}::int) * ${spacingMs}::float8 * interval '1 millisecond'`;

/** An association as the statement answers it. */
export interface ClaimedRow
  extends Omit<Claimed, 'kind' | 'token' | 'objects' | 'confirmed' | 'storeAheadMs' | 'unconfirmed'> {
  /** The time of the database, in milliseconds since 1970. */
  readonly store_ms: number;
  readonly objects: readonly ObjectRow[] | null;
  readonly records: readonly SyncRecord[] | null;
  /** Age of the last unconfirmed call; null: none is remembered. */
  readonly unconfirmed_ms: number | null;
  readonly rechecks: number;
  readonly due: boolean;
  readonly rechecking: boolean;
}

/**
 * An object: sub key, external name, name key, mark, intended at, milliseconds since it was written or seen (null: it is not
 * written), remote version, fingerprint in hexadecimal, tag keys, and of one that was removed whether it is to be removed again
 * (null: it was not removed).
 */
type ObjectRow = readonly [
  ...[subKey: string, name: string, nameKey: string, mark: string, intendedAt: string, seenMsAgo: number | null],
  ...[remoteVersion: string | null, fingerprint: string | null, tagKeys: string[], removable: boolean | null],
];

// What has waited (for the configuration, say) sees the newest row of what it locks, and of all else what was there when it
// began: a generation could come with the settings and objects of the one before it, and those would stay. So only a row
// that is still the one of the beginning is taken. A lock on the destinations would starve those who change them.
// A claim that ran out without having been written back leaves its token: whoever had it may have called out.
// Plain columns, and arrays for the objects: building and parsing named JSON for each took longer than the claim itself.
export const claimStatement = (
  ids: readonly string[],
  token: string,
  { leaseMs, spacingMs }: ClaimTimes,
) => sql<ClaimedRow>`
  with asynchronous_commit as (${asynchronousCommit}),
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
       set claimed_by = ${token}, claimed_until = now() + ${leaseMs} * interval '1 millisecond', next_attempt_at = null,
           unconfirmed_at = case when a.claimed_by is null then a.unconfirmed_at else now() end,
           recheck_at = case when a.claimed_by is null then a.recheck_at end,
           rechecks = case when a.claimed_by is null then a.rechecks else 0 end
      from unchanged, asynchronous_commit where a.id = unchanged.id
    returning a.*
  )
  select t.id, t.destination_id as "destinationId", d.revision as "destinationRevision", d.name as "destinationName", t.type,
         d.namespace_id as "namespaceId", coalesce(n.path, '') as "namespacePath",
         t.mount_id as "mountId", t.mount_path as "mountPath", t.mount_accessor as "mountAccessor",
         t.secret_name as "secretName", t.granularity, t.template, t.adopt or d.adopt as adopt, t.desired, t.generation,
         t.forced_generation > t.observed_generation as forced, t.verify_generation > t.observed_generation as verify,
         t.generation = t.observed_generation + 1 as recorded,
         t.attempts, d.custom_tags as tags, (extract(epoch from now()) * 1000)::float8 as store_ms,
         (extract(epoch from now() - t.unconfirmed_at) * 1000)::float8 as unconfirmed_ms, t.rechecks,
         t.recheck_generation > t.observed_generation and t.recheck_at is not null as due,
         t.recheck_generation > t.observed_generation as rechecking,
         (select json_agg(json_build_array(o.sub_key, o.external_name, o.name_key, o.mark, o.intended_at,
                   case when o.removed_at is null then extract(epoch from now() - o.written_at) * 1000 end,
                   o.remote_version, encode(o.fingerprint, 'hex'), o.tag_keys, case when o.removed_at is not null then
                     coalesce(t.recheck_generation > t.observed_generation and o.removed_at < t.recheck_at, false) end))
            from sync_objects o where o.association_id = t.id) as objects,
         case when t.records @> '[{"status": "SYNCED"}]' and t.records @? '$[*].generation' then t.records end as records
    from taken t join destinations d on d.id = t.destination_id left join namespaces n on n.id = d.namespace_id`;

/** @param askedMs when the statement was sent, in milliseconds since 1970 */
export function toClaimed(claimed: ClaimedRow, token: string, askedMs: number): Claimed {
  const { objects, records, store_ms, unconfirmed_ms: ageMs, rechecks, due, rechecking, ...row } = claimed;
  const confirmed = (records ?? []).filter(
    ({ status, generation }) => status === 'SYNCED' && generation === row.generation,
  );
  return {
    ...row,
    kind: 'claimed',
    token,
    unconfirmed: ageMs === null ? undefined : { ageMs, rechecks, due, rechecking },
    storeAheadMs: store_ms - askedMs,
    objects: (objects ?? []).map(toWritten),
    confirmed: confirmed.map(({ external_name }) => external_name),
  };
}

function toWritten(row: ObjectRow): Written {
  const [subKey, name, nameKey, mark, intendedAt, seenMsAgo, remoteVersion, fingerprint, tagKeys, removable] = row;
  return {
    subKey,
    name,
    nameKey,
    mark,
    intendedAt: new Date(intendedAt),
    written: seenMsAgo !== null,
    seenMsAgo,
    remoteVersion,
    fingerprint: fingerprint === null ? null : Buffer.from(fingerprint, 'hex'),
    tagKeys,
    removal: removable === null ? 'none' : removable ? 'due' : 'done',
  };
}
