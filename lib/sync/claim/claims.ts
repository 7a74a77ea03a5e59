import { sql } from 'kysely';
import { coalesce } from '../../core/concurrency/coalesce.ts';
import { uuid } from '../../core/ids.ts';
import type { Store } from '../../store/store.ts';
import type { Claim } from './claim.ts';
import { type ClaimTimes, claimStatement, spacedUntil, toClaimed } from './claim-statement.ts';

/**
 * Takes associations for a limited time. The claim and the switch `disabled` are read under a shared lock of the
 * configuration row: once `disabled` is committed, no claim is made, and those made before are seen by who waits for them.
 */
export function claims(store: Store, times: ClaimTimes): (id: string) => Promise<Claim> {
  return coalesce((ids) => claimBatch(store, ids, times), { batchSizeMax: 64, batchesMax: 2 });
}

async function claimBatch(store: Store, ids: readonly string[], times: ClaimTimes): Promise<readonly Claim[]> {
  const token = uuid();
  const askedMs = Date.now();
  const { rows } = await claimStatement(ids, token, times).execute(store.db);
  const taken = new Map(rows.map((row) => [row.id, toClaimed(row, token, askedMs)] as const));
  const refused = ids.filter((id) => !taken.has(id));
  const reasons = refused.length === 0 ? new Map<string, Claim>() : await refusals(store, refused, times);
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

interface RefusedRow {
  readonly id: string;
  readonly generation: number;
  readonly clean: boolean;
  readonly disabled: boolean;
  readonly held: boolean;
  /** Milliseconds until it may be pushed again; null: it was not pushed of late. */
  readonly wait_ms: number | null;
}

/** Why associations were not given. What changed since the claim makes no difference: its job looks again. */
async function refusals(store: Store, ids: readonly string[], times: ClaimTimes): Promise<Map<string, Claim>> {
  const { rows } = await sql<RefusedRow>`
    select a.id, a.generation, a.generation <= a.observed_generation as clean, c.disabled,
           coalesce(a.claimed_until > now(), false) as held,
           ceil(extract(epoch from ${spacedUntil(times)} - now()) * 1000)::int as wait_ms
      from associations a cross join sync_config c where a.id = any(${ids}::bigint[])`.execute(store.db);
  return new Map(rows.map((row) => [row.id, refusalOf(row)]));
}

function refusalOf({ generation, clean, disabled, held, wait_ms }: RefusedRow): Claim {
  if (clean) return { kind: 'clean', generation };
  if (disabled) return { kind: 'disabled' };
  return held || wait_ms === null ? { kind: 'busy' } : { kind: 'early', waitMs: Math.max(1, wait_ms) };
}
