import { sql } from 'kysely';
import { type Dirty, dirtyColumns, markDirty } from '#store/outbox.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';

/**
 * For the sweep: finds versions that expired (`delete_version_after`) and marks the associations of their secrets dirty, at most
 * `limit` versions per call and each version once. Any number of sweeps may run concurrently.
 */
export async function expireVersions(store: Store, limit: number): Promise<readonly Dirty[]> {
  const seen = sql`(mount_id, secret_name) in (select mount_id, path from seen) and desired = 'present'`;
  const { rows } = await rowsOf(dirtyColumns)`
    with due as (
      select mount_id, path, version from kv_versions
       where deletion_time is not null and not deletion_seen and deletion_time <= now()
       order by deletion_time limit ${limit} for no key update skip locked
    ),
    seen as (
      update kv_versions v set deletion_seen = true from due
       where v.mount_id = due.mount_id and v.path = due.path and v.version = due.version
      returning v.mount_id, v.path
    ),
    dirty as (${markDirty(seen)})
    select * from dirty`.execute(store.db);
  return rows;
}
