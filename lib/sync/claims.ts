import { sql } from 'kysely';
import { coalesce } from '../core/coalesce.ts';
import { uuid } from '../core/ids.ts';
import type { Granularity } from '../destinations/contract.ts';
import type { Store } from '../store/store.ts';
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
  readonly objects: readonly ObjectRow[];
  /** Names of the objects that an attempt has brought in line with this very generation already. */
  readonly confirmed: readonly string[];
}

export interface ObjectRow {
  readonly sub_key: string;
  readonly external_name: string;
  readonly name_key: string;
  readonly mark: string;
  readonly intended_at: string;
  readonly written: boolean;
  readonly remote_version: string | null;
  /** Hexadecimal. */
  readonly fingerprint: string | null;
  readonly tag_keys: readonly string[];
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
  return coalesce((ids) => claimBatch(store, ids, leaseMs), { batchSizeMax: 64, batchesMax: 4 });
}

async function claimBatch(store: Store, ids: readonly string[], leaseMs: number): Promise<readonly Claim[]> {
  const token = uuid();
  const { rows } = await claimStatement(ids, token, leaseMs).execute(store.db);
  const found = new Map(rows.map((row) => [row.id, row]));
  const given = new Set<string>();
  return ids.map((id) => {
    const row = found.get(id);
    if (row === undefined) return { kind: 'clean', generation: Number.MAX_SAFE_INTEGER };
    if (row.generation <= row.observed) return { kind: 'clean', generation: row.generation };
    if (row.disabled) return { kind: 'disabled' };
    // An id may stand twice in a batch (its job was stalled and taken up again); the claim is for one of them.
    if (!row.mine || given.has(id)) return { kind: 'busy' };
    given.add(id);
    return { ...row.claim, kind: 'claimed', token };
  });
}

interface ClaimRow {
  readonly id: string;
  readonly generation: number;
  readonly observed: number;
  readonly disabled: boolean;
  readonly mine: boolean;
  readonly claim: Omit<Claimed, 'kind' | 'token'>;
}

const claimStatement = (ids: readonly string[], token: string, leaseMs: number) => sql<ClaimRow>`
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
      from free where a.id = free.id
    returning a.id
  )
  select a.id::text as id, a.generation::int as generation, a.observed_generation::int as observed,
         config.disabled, taken.id is not null as mine,
         case when taken.id is not null then jsonb_build_object(
           'id', a.id::text, 'destinationId', a.destination_id::text, 'destinationRevision', d.revision,
           'destinationName', d.name, 'type', a.type, 'mountId', a.mount_id, 'mountPath', a.mount_path,
           'mountAccessor', a.mount_accessor, 'secretName', a.secret_name, 'granularity', a.granularity,
           'template', a.template, 'adopt', a.adopt or d.adopt, 'desired', a.desired, 'generation', a.generation,
           'forced', a.forced_generation > a.observed_generation,
           'recorded', a.generation = a.observed_generation + 1, 'attempts', a.attempts, 'tags', d.custom_tags,
           'objects', coalesce((
             select jsonb_agg(jsonb_build_object(
                      'sub_key', o.sub_key, 'external_name', o.external_name, 'name_key', o.name_key, 'mark', o.mark,
                      'intended_at', o.intended_at, 'written', o.written_at is not null,
                      'remote_version', o.remote_version, 'fingerprint', encode(o.fingerprint, 'hex'),
                      'tag_keys', o.tag_keys))
               from sync_objects o where o.association_id = a.id), '[]'::jsonb),
           'confirmed', coalesce((
             select jsonb_agg(r ->> 'external_name') from jsonb_array_elements(a.records) r
              where r ->> 'status' = 'SYNCED' and (r ->> 'generation')::int = a.generation), '[]'::jsonb)
         ) end as claim
    from associations a
    join destinations d on d.id = a.destination_id
    cross join config
    cross join relaxed
    left join taken on taken.id = a.id
   where a.id = any(${ids}::bigint[])`;
