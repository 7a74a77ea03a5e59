import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { bigintText, bool, float, int, jsonOf, nullable, oneOf, text, textMap, uuid } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { associationsTable } from '#store/tables/sync.ts';
import { recordColumns } from '../model/finish.ts';
import { isPaused } from '../model/pause.ts';
import type { Written } from '../model/written.ts';
import { asynchronousCommit } from './asynchronous-commit.ts';
import type { Claimed } from './claim.ts';

export interface ClaimTimes {
  /** How long a claim is valid. */
  readonly leaseMs: number;
  /** Minimum time between two pushes of one association, per waiting change; 0 turns it off. */
  readonly spacingMs: number;
}

/** Caps the waiting changes that count, so that a burst of any length is still pushed at regular intervals. */
const spacingsMax = 25;

/**
 * When association `a` may be pushed again. The more changes have arrived since the last push, the later, because more are
 * likely to follow. A secret written once is pushed at once; one written a thousand times in a row is pushed a handful of
 * times (docs/architecture.md, rule 3.3). Null when nothing has been pushed yet. A push dated in the future is ignored,
 * because the clock was set back after it.
 */
export const spacedUntil = ({ spacingMs }: ClaimTimes): RawBuilder<unknown> => sql`(
  select max(o.written_at) from sync_objects o where o.association_id = a.id and o.written_at <= now())
  + least(a.generation - a.observed_generation, ${spacingsMax}::int) * ${spacingMs}::float8 * interval '1 millisecond'`;

/** An association as the statement returns it. */
export type ClaimedRow = RowOf<typeof claimedColumns>;

/**
 * An object: sub key, external name, name key, mark, time of the intent, milliseconds since it was written or seen (null when
 * not written), remote version, fingerprint in hexadecimal, tag keys, and whether a removed object is to be removed again (null
 * when it was not removed).
 */
const texts = z.array(z.string());
const object = z.tuple([
  z.string(),
  z.string(),
  z.string(),
  z.string(),
  z.string(),
  z.number().nullable(),
  z.string().nullable(),
  z.string().nullable(),
  texts,
  z.boolean().nullable(),
]);

type ObjectRow = z.infer<typeof object>;

export const claimedColumns = {
  ...pick(associationsTable, 'id', 'type', 'template', 'adopt', 'desired', 'generation', 'attempts', 'rechecks'),
  granularity: oneOf('secret-path', 'secret-key'),
  destinationId: bigintText,
  destinationRevision: int,
  destinationName: text,
  namespaceId: text,
  namespacePath: text,
  mountId: uuid,
  mountPath: text,
  mountAccessor: text,
  secretName: text,
  forced: bool,
  verify: bool,
  planned: bool,
  recorded: bool,
  tags: textMap,
  /** The time of the database, in milliseconds since 1970. */
  store_ms: float,
  /** Age of the last unconfirmed call; null when the association remembers none. */
  unconfirmed_ms: nullable(float),
  due: bool,
  rechecking: bool,
  objects: nullable(jsonOf(z.array(object).readonly())),
  records: nullable(recordColumns.records),
};

/** The columns of `ClaimedRow`, of `t` (associations), `d` (its destination) and `n` (its namespace). */
export const selectClaimed = sql`t.id, t.destination_id as "destinationId", d.revision as "destinationRevision", d.name as "destinationName", t.type,
         d.namespace_id as "namespaceId", coalesce(n.path, '') as "namespacePath",
         t.mount_id as "mountId", t.mount_path as "mountPath", t.mount_accessor as "mountAccessor",
         t.secret_name as "secretName", t.granularity, t.template, t.adopt or d.adopt as adopt, t.desired, t.generation,
         t.forced_generation > t.observed_generation as forced, t.verify_generation > t.observed_generation as verify,
         t.planned_generation = t.generation as planned,
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
         case when t.records @> '[{"status": "SYNCED"}]' and t.records @? '$[*].generation' then t.records end as records`;

// A statement that has waited (for the configuration row, say) sees the newest version of the rows it locks, and the
// snapshot from its start for everything else. It could combine a new generation with the settings and objects of the
// previous one. So it takes only rows that have not changed since it began. A lock on the destinations instead would starve
// requests that change them. A request that pauses a destination touches the configuration row instead: a statement that waited
// for it finds another version of that row than the one from its start, and takes nothing.
// A claim that expired without a finish leaves its token in the row: its worker may have made calls.
// Objects come as arrays in plain columns: building and parsing named JSON for each took longer than the claim itself.
export const claimStatement = (ids: readonly string[], token: string, { leaseMs, spacingMs }: ClaimTimes) => rowsOf(
  claimedColumns,
)`
  with asynchronous_commit as (${asynchronousCommit}),
  config as (
    select ${isPaused('sync_config')} as disabled, xmin as version from sync_config where id = 1 for share
  ),
  free as (
    select a.id, a.xmin as version from associations a join destinations d on d.id = a.destination_id, config
     where a.id = any(${ids}::bigint[]) and not config.disabled and not ${isPaused('d')}
       and config.version = (select xmin from sync_config where id = 1) and a.generation > a.observed_generation
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
  select ${selectClaimed} from taken t join destinations d on d.id = t.destination_id left join namespaces n on n.id = d.namespace_id`;

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
