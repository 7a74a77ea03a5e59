import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';

/** Changes per statement. */
export const foldedMax = 10_000;
/** Arrivals of a destination that wait for a sample. */
const arrivedMax = 2_147_483_647;

/**
 * Replaces the oldest changes of the counts of associations, and the sums of their destinations, by new sums; sums of zero are left out. Counts
 * do not change by it. Arrivals are added to the results of the destination, where the next sample takes them: by how much a transaction made the dirty ones of
 * a destination more. A retry, or a change of a dirty one, adds as many as it takes away. May run twice and concurrently with another sweep: it takes only rows that no other has taken, so a destination may
 * for a while have more than one sum. Returns how many changes it has folded.
 */
export async function foldCounts({ db }: Pick<Store, 'db'>, limit: number = foldedMax): Promise<number> {
  const { rows } = await statement(limit).execute(db);
  return rows[0]?.changes ?? 0;
}

const statement = (limit: number) => rowsOf({ changes: int })`
  with changes as materialized (
    select destination_id, id from association_counts where not folded order by id limit ${limit}::int for update skip locked
  ),
  sums as materialized (
    select destination_id, id from association_counts
     where folded and destination_id = any(array(select distinct destination_id from changes)) for update skip locked
  ),
  taken as (
    delete from association_counts c
     using (select * from changes union all select * from sums) t
     where c.destination_id = t.destination_id and c.id = t.id
    returning c.*, c.xmin as by_transaction
  ),
  summed as (
    insert into association_counts (destination_id, status, kind, associations, dirty, drifted, folded)
    select destination_id, status, kind, sum(associations), sum(dirty), sum(drifted), true
      from taken group by destination_id, status, kind
    having sum(associations) <> 0 or sum(dirty) <> 0 or sum(drifted) <> 0
  ),
  arrived as (
    insert into destination_results as r (destination_id, arrived)
    select d.id, least(t.arrived, ${arrivedMax}::int)::int
      from (select destination_id, sum(arrived) as arrived
              from (select destination_id, sum(dirty) as arrived from taken where not folded
                     group by destination_id, by_transaction having sum(dirty) > 0) one
             group by destination_id) t
      join destinations d on d.id = t.destination_id
     order by d.id
        on conflict (destination_id) do update set arrived = least(r.arrived::bigint + excluded.arrived, ${arrivedMax}::int)::int
  )
  select count(*)::int as changes from changes`;
