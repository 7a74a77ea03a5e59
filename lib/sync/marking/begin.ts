import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';

/**
 * Why all associations of a destination become dirty: its settings, or a credential that it names, have changed; or the store
 * may have forgotten what was pushed, as after a failover.
 */
export type MarkingReason = 'destination' | 'credential' | 'recheck';

export interface NewMarking {
  readonly reason: MarkingReason;
  /** Objects are pushed without a look. Otherwise those that look unchanged are looked at. */
  readonly forced: boolean;
}

/**
 * Marks all associations of the destinations for which `where` holds, a condition on `destinations`: in the transaction of the
 * change, one row for each destination that has an association. From the commit on they read PENDING; the pages follow by
 * `Marker.begun`, or by the sweep. A marking that is under way begins anew, and stays a recheck if it was one. Answers the ids of the destinations.
 *
 * The caller holds the destinations for update where an association made beside it might miss the change.
 */
export async function beginMarkings(
  tx: QueryExecutorProvider,
  where: RawBuilder<unknown>,
  { reason, forced }: NewMarking,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into markings (destination_id, reason, forced, association_max)
    select id, ${reason}::text, ${forced}::boolean, (select last_value from associations_id_seq)
      from destinations d
     where ${where} and exists (select 1 from associations a where a.destination_id = d.id)
     order by id
    on conflict (destination_id) do update
       set reason = case when markings.reason = 'recheck' then markings.reason else excluded.reason end, forced = markings.forced or excluded.forced, association_max = excluded.association_max,
           began_at = excluded.began_at, after_mount = default, after_secret = default
    returning destination_id::text as id`.execute(tx);
  return rows.map(({ id }) => id);
}
