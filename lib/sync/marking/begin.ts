import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';

/**
 * Why all associations of a destination become dirty: its settings changed (`destination`), a credential that it names changed
 * (`credential`), or the store may have lost the record of recent pushes, as after a failover (`recheck`).
 */
export type MarkingReason = 'destination' | 'credential' | 'recheck';

export interface NewMarking {
  readonly reason: MarkingReason;
  /** True: objects are pushed without looking at them. False: those that look unchanged are looked at first. */
  readonly forced: boolean;
}

/**
 * Begins to mark all associations of the destinations that match `where`, a condition on `destinations`. In the transaction of
 * the change it writes one row per destination that has an association. From the commit on these associations read PENDING;
 * `Marker.begun` or the sweep marks them page by page. A marking already in progress starts over, and stays a recheck if it
 * was one. Returns the ids of the destinations.
 *
 * The caller locks the destinations for update when an association created concurrently might miss the change.
 */
export async function beginMarkings(
  tx: QueryExecutorProvider,
  where: RawBuilder<unknown>,
  { reason, forced }: NewMarking,
): Promise<readonly string[]> {
  const { rows } = await rowsOf({ id: text })`
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

/**
 * Since when an association has been waiting to be marked, because its destination changed or its mount was disabled and its
 * page is not done yet. Null when it is not waiting. While it waits it reads PENDING, whatever status its row has.
 *
 * @param table alias of `associations` in the statement
 */
export const unmarkedSince = (table: string): RawBuilder<unknown> => sql`coalesce((
  select m.began_at from markings m
   where m.destination_id = ${sql.ref(`${table}.destination_id`)} and ${sql.ref(`${table}.id`)} <= m.association_max
     and ${sql.ref(`${table}.desired`)} = 'present'
     and (${sql.ref(`${table}.mount_id`)}, ${sql.ref(`${table}.secret_name`)}) > (m.after_mount, m.after_secret)), (
  select m.removed_at from mounts m
   where m.id = ${sql.ref(`${table}.mount_id`)} and ${sql.ref(`${table}.updated_at`)} < m.removed_at))`;
