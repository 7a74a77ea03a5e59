import { sql } from 'kysely';
import { type Dirty, dirtyColumns, markDirty } from '#store/outbox.ts';
import { objectOf } from '#store/sql/columns.ts';
import { bool, nullable } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';

/** Associations per statement, which takes about 50 ms; their workers may have to wait for that long. */
export const pageSize = 500;

export interface MarkedPage {
  readonly dirty: readonly Dirty[];
  /** `stuck`: the next association is locked by another transaction. `through`: nothing is left to mark. */
  readonly state: 'more' | 'stuck' | 'through';
}

/**
 * Marks the next associations of a destination, up to the first locked one; it never waits for a lock. Undefined when nothing is
 * left to mark, another process is marking this destination, or a purge has begun, which removes the objects anyway. It is a
 * single statement, so a process that freezes or dies leaves no row locked.
 */
export async function markPage({ db }: Pick<Store, 'db'>, destinationId: string): Promise<MarkedPage | undefined> {
  const { rows } = await statement(destinationId).execute(db);
  const [first] = rows;
  if (first === undefined) return undefined;
  const dirty = rows.flatMap(({ marked }) => (marked === null ? [] : [marked]));
  return { dirty, state: first.stuck ? 'stuck' : first.through ? 'through' : 'more' };
}

const pageColumns = { stuck: bool, through: bool, marked: nullable(objectOf(dirtyColumns)) };

// Continues a marking only if its row has not changed since the statement began: a later marking may cover associations that
// this statement does not see.
const statement = (destinationId: string) => rowsOf(pageColumns)`
  with held as (
    select m.destination_id, m.xmin as version from markings m join destinations d on d.id = m.destination_id
     where m.destination_id = ${destinationId}::bigint and (d.purge_initiated_at is null or d.purge_error is not null)
       for update of m skip locked
  ),
  marking as (select m.* from held join markings m on m.destination_id = held.destination_id and m.xmin = held.version),
  page as materialized (
    select a.id, a.mount_id, a.secret_name, a.desired = 'present' and a.id <= m.association_max as concerned
      from marking m cross join lateral (
        select id, mount_id, secret_name, desired from associations
         where destination_id = ${destinationId}::bigint and (mount_id, secret_name) > (m.after_mount, m.after_secret)
         order by destination_id, mount_id, secret_name limit ${pageSize}::int) as a
  ),
  free as materialized (
    select id from associations
     where id = any(array(select id from page where concerned)) and desired = 'present' for no key update skip locked
  ),
  skipped as (
    select mount_id, secret_name from page where concerned and id not in (select id from free)
     order by mount_id, secret_name limit 1
  ),
  done as materialized (
    select * from page
     where not exists (select 1 from skipped s where (page.mount_id, page.secret_name) >= (s.mount_id, s.secret_name))
  ),
  marked as (${markDirty(sql`id = any(array(select id from done where concerned))`, {
    forced: sql`(select forced from marking)`,
    forgotten: sql`(select reason = 'recheck' from marking)`,
  })}),
  seen as (
    select exists (select 1 from skipped) and not exists (select 1 from done) as stuck,
           not exists (select 1 from skipped) and (select count(*) from page) < ${pageSize}::int as through
  ),
  advanced as (
    update markings m set after_mount = l.mount_id, after_secret = l.secret_name, turned_at = clock_timestamp()
      from (select mount_id, secret_name from done order by mount_id desc, secret_name desc limit 1) as l, seen
     where m.destination_id = ${destinationId}::bigint and not seen.through
  ),
  ended as (delete from markings m using marking, seen where m.destination_id = marking.destination_id and seen.through)
  select seen.stuck, seen.through, to_jsonb(marked) as marked from marking cross join seen left join marked on true`;
