import { float, int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { isPaused } from '../model/pause.ts';
import { isRemnant } from '../model/status.ts';

/** Up to this many associations that have drifted are counted, over all types. */
const countedMax = 10_000;

/** How many associations of a type have drifted in this way. */
export interface DriftCount {
  readonly type: string;
  readonly kind: string;
  readonly count: number;
}

/** Counts what looks have found, along the index of drift. */
export async function countDrift({ db }: Pick<Store, 'db'>): Promise<readonly DriftCount[]> {
  const { rows } = await rowsOf({ type: text, kind: text, count: int })`
    select type, drift as kind, count(*)::int as count
      from (select type, drift from associations where drift is not null and not ${isRemnant()} limit ${countedMax}::int) found
     group by type, drift`.execute(db);
  return rows;
}

/**
 * Seconds since the last complete look at the destination of each type that was looked at longest ago. One that was never looked at
 * counts from the beginning of its first look. Types without such a destination are left out.
 */
export async function oldestLook({ db }: Pick<Store, 'db'>): Promise<ReadonlyMap<string, number>> {
  const { rows } = await rowsOf({ type: text, seconds: float })`
    select d.type, max(greatest(extract(epoch from now() - coalesce(s.checked_at, s.began_at)), 0))::float8 as seconds
      from destination_drift s join destinations d on d.id = s.destination_id
     where d.on_drift <> 'off' and d.purge_initiated_at is null and not ${isPaused('d')}
       and coalesce(s.checked_at, s.began_at) is not null
     group by d.type`.execute(db);
  return new Map(rows.map(({ type, seconds }) => [type, seconds]));
}
