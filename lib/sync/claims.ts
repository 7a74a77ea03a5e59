import { sql } from 'kysely';
import { coalesce } from '../core/coalesce.ts';
import { uuid } from '../core/ids.ts';
import type { Granularity } from '../destinations/contract.ts';
import type { Store } from '../store/store.ts';
import type { SyncRecord } from '../store/tables.ts';
import type { Written } from './plan.ts';
import { relaxedCommit } from './relaxed.ts';

/** An association in this worker's hands. `token` proves it: what a worker writes back without it is not taken. */
export interface Claimed {
  readonly kind: 'claimed';
  readonly token: string;
  readonly id: string;
  readonly destinationId: string;
  readonly destinationRevision: number;
  readonly destinationName: string;
  readonly type: string;
  readonly mountId: string;
  readonly mountPath: string;
  readonly mountAccessor: string;
  readonly secretName: string;
  readonly granularity: Granularity;
  readonly template: string;
  readonly adopt: boolean;
  readonly desired: 'present' | 'absent';
  readonly generation: number;
  readonly forced: boolean;
  /**
   * This generation follows directly on the last one that was written back. Otherwise an attempt at one between may have
   * pushed something and died, so what was recorded of the objects may be older than what is there.
   */
  readonly recorded: boolean;
  readonly attempts: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly objects: readonly Written[];
  /** Names of the objects that an attempt has brought in line with this very generation already. */
  readonly confirmed: readonly string[];
}

export type Claim =
  | Claimed
  /** The sync is disabled: nothing may be called. */
  | { readonly kind: 'disabled' }
  /** Another worker has it. */
  | { readonly kind: 'busy' }
  /** Nothing to do: in line with this generation, or the association is no more (generation 0 means that). */
  | { readonly kind: 'clean'; readonly generation: number };

/**
 * Takes associations for a limited time. The claim and the switch `disabled` are read under a shared lock of the
 * configuration row: once `disabled` is committed, no claim is made, and those made before are seen by who waits for them.
 */
export function claims(store: Store, leaseMs: number): (id: string) => Promise<Claim> {
  return coalesce((ids) => claimBatch(store, ids, leaseMs), { batchSizeMax: 32, batchesMax: 2 });
}

async function claimBatch(store: Store, ids: readonly string[], leaseMs: number): Promise<readonly Claim[]> {
  const token = uuid();
  const { rows } = await claimStatement(ids, token, leaseMs).execute(store.db);
  const taken = new Map(rows.map((row) => [row.id, toClaimed(row, token)] as const));
  const refused = ids.filter((id) => !taken.has(id));
  const reasons = refused.length === 0 ? new Map<string, Claim>() : await refusals(store, refused);
  return ids.map((id) => {
    const claimed = taken.get(id);
    if (claimed === undefined) return reasons.get(id) ?? goneClaim;
    // An id may stand twice in a batch (its job was stalled and taken up again); the claim is for one of them.
    taken.delete(id);
    reasons.set(id, { kind: 'busy' });
    return claimed;
  });
}

const goneClaim: Claim = { kind: 'clean', generation: Number.MAX_SAFE_INTEGER };

interface ClaimedRow extends Omit<Claimed, 'kind' | 'token' | 'objects' | 'confirmed'> {
  readonly objects: readonly ObjectRow[] | null;
  readonly records: readonly SyncRecord[] | null;
}

/** An object: sub key, external name, name key, mark, intended at, written, remote version, fingerprint in hexadecimal, tag keys. */
type ObjectRow = readonly [string, string, string, string, string, boolean, string | null, string | null, string[]];

// Plain columns, and arrays for the objects: building and parsing named JSON for each took longer than the claim itself.
const claimStatement = (ids: readonly string[], token: string, leaseMs: number) => sql<ClaimedRow>`
  with relaxed as (${relaxedCommit}),
  config as (select disabled from sync_config where id = 1 for share),
  free as (
    select a.id from associations a, config
     where a.id = any(${ids}::bigint[]) and not config.disabled and a.generation > a.observed_generation
       and (a.claimed_until is null or a.claimed_until <= now())
     order by a.id for no key update of a skip locked
  ),
  taken as (
    update associations a
       set claimed_by = ${token}, claimed_until = now() + ${leaseMs} * interval '1 millisecond', next_attempt_at = null
      from free, relaxed where a.id = free.id
    returning a.*
  )
  select t.id, t.destination_id as "destinationId", d.revision as "destinationRevision", d.name as "destinationName", t.type,
         t.mount_id as "mountId", t.mount_path as "mountPath", t.mount_accessor as "mountAccessor",
         t.secret_name as "secretName", t.granularity, t.template, t.adopt or d.adopt as adopt, t.desired, t.generation,
         t.forced_generation > t.observed_generation as forced, t.generation = t.observed_generation + 1 as recorded,
         t.attempts, d.custom_tags as tags,
         (select json_agg(json_build_array(o.sub_key, o.external_name, o.name_key, o.mark, o.intended_at,
                   o.written_at is not null, o.remote_version, encode(o.fingerprint, 'hex'), o.tag_keys))
            from sync_objects o where o.association_id = t.id) as objects,
         case when t.records @> '[{"status": "SYNCED"}]' and t.records @? '$[*].generation' then t.records end as records
    from taken t join destinations d on d.id = t.destination_id`;

function toClaimed({ objects, records, ...row }: ClaimedRow, token: string): Claimed {
  const confirmed = (records ?? []).filter(
    ({ status, generation }) => status === 'SYNCED' && generation === row.generation,
  );
  return {
    ...row,
    kind: 'claimed',
    token,
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

interface RefusedRow {
  readonly id: string;
  readonly generation: number;
  readonly clean: boolean;
  readonly disabled: boolean;
}

/** Why associations were not given. What changed since the claim makes no difference: its job looks again. */
async function refusals(store: Store, ids: readonly string[]): Promise<Map<string, Claim>> {
  const { rows } = await sql<RefusedRow>`
    select a.id, a.generation, a.generation <= a.observed_generation as clean, c.disabled
      from associations a cross join sync_config c where a.id = any(${ids}::bigint[])`.execute(store.db);
  return new Map(rows.map((row) => [row.id, refusalOf(row)]));
}

function refusalOf({ generation, clean, disabled }: RefusedRow): Claim {
  if (clean) return { kind: 'clean', generation };
  return { kind: disabled ? 'disabled' : 'busy' };
}
