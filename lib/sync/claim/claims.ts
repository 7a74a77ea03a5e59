import { sql } from 'kysely';
import { coalesce } from '#core/concurrency/coalesce.ts';
import { uuid } from '#core/ids.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { bigintText, bool, float, int, nullable } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { isPaused } from '../model/pause.ts';
import type { Claim } from './claim.ts';
import { type ClaimTimes, claimStatement, spacedUntil, toClaimed } from './claim-statement.ts';

/**
 * Claims associations for a limited time. A claim reads the pause of the sync under a shared lock of the configuration row, which
 * the pause of a destination updates too: once a pause is committed no further claim is made, and the request that waits for running operations sees all
 * earlier claims.
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
    if (claimed === undefined) return reasons.get(id) ?? deletedClaim;
    // An id may occur twice in a batch (its job was stalled and taken up again); the claim is for one of them.
    taken.delete(id);
    reasons.set(id, { kind: 'busy' });
    return claimed;
  });
}

const deletedClaim: Claim = { kind: 'clean', generation: Number.MAX_SAFE_INTEGER };

type RefusedRow = RowOf<typeof refusedColumns>;

const refusedColumns = {
  id: bigintText,
  generation: int,
  clean: bool,
  disabled: bool,
  paused: bool,
  /** Milliseconds until the pause of the destination ends; null when it has no end. */
  paused_ms: nullable(float),
  held: bool,
  /** Milliseconds until it may be pushed again; null when it was not pushed recently. */
  wait_ms: nullable(int),
};

/** Why associations were not given. What changed since the claim makes no difference: its job looks again. */
async function refusals(store: Store, ids: readonly string[], times: ClaimTimes): Promise<Map<string, Claim>> {
  const { rows } = await rowsOf(refusedColumns)`
    select a.id, a.generation, a.generation <= a.observed_generation as clean, ${isPaused('c')} as disabled,
           ${isPaused('d')} as paused,
           ceil(extract(epoch from d.disabled_until - now()) * 1000)::float8 as paused_ms,
           coalesce(a.claimed_until > now(), false) as held,
           ceil(extract(epoch from ${spacedUntil(times)} - now()) * 1000)::int as wait_ms
      from associations a join destinations d on d.id = a.destination_id cross join sync_config c
     where a.id = any(${ids}::bigint[])`.execute(store.db);
  return new Map(rows.map((row) => [row.id, refusalOf(row)]));
}

function refusalOf({ generation, clean, disabled, paused, paused_ms, held, wait_ms }: RefusedRow): Claim {
  if (clean) return { kind: 'clean', generation };
  if (disabled) return { kind: 'disabled' };
  if (paused) return { kind: 'paused', leftMs: paused_ms };
  return held || wait_ms === null ? { kind: 'busy' } : { kind: 'early', waitMs: Math.max(1, wait_ms) };
}

/**
 * Makes an association dirty when its objects may be older than the store records: a worker that was delayed for longer than
 * its claim has made calls after another worker pushed something newer. The next attempt pushes even what looks unchanged;
 * if its job is lost, the sweep queues it. Rechecks follow, because the outcome of the late calls was not stored.
 */
export const invalidates =
  (store: Store) =>
  async (id: string): Promise<void> => {
    await sql`
      update associations
         set generation = generation + 1, forced_generation = generation + 1, attempts = 0, status = 'PENDING',
             updated_at = now(), dirty_since = coalesce(dirty_since, now()),
             unconfirmed_at = now(), recheck_at = null, rechecks = 0
       where id = ${id}::bigint`.execute(store.db);
  };
