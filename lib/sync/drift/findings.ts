import { sql } from 'kysely';
import { type Dirty, markDirty } from '#store/outbox.ts';
import { bigintText } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { type DriftKind, driftKinds } from '../model/drift.ts';
import { isPaused } from '../model/pause.ts';
import type { OwnObject } from './objects.ts';
import type { Turn } from './turns.ts';

type Reads = Pick<Store, 'db'>;

export interface Finding {
  readonly object: OwnObject;
  readonly kind: DriftKind;
}

/** Notes that a look has compared these objects. Those that an attempt is storing right now come again, one by one. */
export async function noteLooked({ db }: Reads, { destination_id }: Turn, nameKeys: readonly string[]): Promise<void> {
  if (nameKeys.length === 0) return;
  await sql`
    update sync_objects set looked_at = now()
     where destination_id = ${destination_id}::bigint and name_key = any(array(
       select name_key from sync_objects
        where destination_id = ${destination_id}::bigint and name_key = any(${nameKeys}::text[])
          for no key update skip locked))`.execute(db);
}

/** Which kind an association shows when its objects differ in several ways: the later one of these. */
const ranks: readonly DriftKind[] = ['tags', 'changed', 'deleted', 'foreign'];

/**
 * Notes what a look found on the associations, unless they were changed, or taken by a worker, after their objects were read, or the destination
 * was paused or is looked at no longer. Returns those that were noted.
 */
export async function noteFindings(
  { db }: Reads,
  { destination_id }: Turn,
  findings: readonly Finding[],
): Promise<readonly string[]> {
  const worst = new Map<string, Finding>();
  for (const finding of findings) {
    const before = worst.get(finding.object.association_id);
    if (before === undefined || ranks.indexOf(before.kind) < ranks.indexOf(finding.kind))
      worst.set(finding.object.association_id, finding);
  }
  const found = [...worst.values()];
  if (found.length === 0) return [];
  const { rows } = await rowsOf({ id: bigintText })`
    with found as (
      select * from unnest(${found.map(({ object }) => object.association_id)}::bigint[],
                           ${found.map(({ object }) => object.generation)}::int[], ${found.map(({ kind }) => kind)}::text[])
        as f (id, generation, kind)
    ),
    held as (
      select a.id, f.kind from associations a join found f on f.id = a.id
       where a.generation = f.generation and a.observed_generation = f.generation and coalesce(a.claimed_until <= now(), true)
       order by a.id for no key update of a skip locked
    )
    update associations a
       set drift = case
             when a.drift is null or a.drift_at < s.began_at then held.kind
             when array_position(${ranks}::text[], a.drift) > array_position(${ranks}::text[], held.kind) then a.drift
             else held.kind end,
           drift_at = now()
      from held, destination_drift s join destinations d on d.id = s.destination_id
     where a.id = held.id and s.destination_id = ${destination_id}::bigint and d.on_drift <> 'off' and not ${isPaused('d')}
    returning a.id::text as id`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Queues syncs that look again and push what differs, unless the destination is not to be repaired any longer. A foreign object in the place of ours
 * is left to people.
 */
export async function repair({ db }: Reads, ids: readonly string[]): Promise<readonly Dirty[]> {
  if (ids.length === 0) return [];
  const repairable = sql`
    id = any(${ids}::bigint[]) and generation = observed_generation and drift <> ${foreign}
      and destination_id in (select d.id from destinations d where d.on_drift = 'repair')`;
  const { rows } = await markDirty(repairable, 'verify').execute(db);
  return rows;
}

const foreign = driftKinds[3];

/** Forgets what earlier looks found and this complete one did not, for associations of which it saw every object. */
export async function forgetOver({ db }: Reads, { destination_id }: Turn): Promise<void> {
  await sql`
    update associations set drift = null, drift_at = null
     where id = any(array(
       select a.id from associations a join destination_drift s on s.destination_id = a.destination_id
        where a.destination_id = ${destination_id}::bigint and a.drift is not null and a.drift_at < s.began_at
          and a.generation = a.observed_generation
          and not exists (
            select 1 from sync_objects o
             where o.association_id = a.id and o.written_at is not null and o.removed_at is null
               and coalesce(o.looked_at < s.began_at, true))
        order by a.id for no key update of a skip locked))`.execute(db);
}
