import { sql, type Transaction } from 'kysely';
import { bool } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import type { WorkspaceRow } from '../../access/workspace.ts';

/**
 * Settles the state versions of a workspace when its lock ends: pending ones are discarded, since only the holder of this lock was
 * allowed to upload them. The caller holds the lock on the workspace row.
 */
export async function endLockedStates(tx: Transaction<Database>, workspaceId: string): Promise<void> {
  await sql`
    update ws_state_versions set status = 'discarded' where workspace_id = ${workspaceId} and status = 'pending'`.execute(
    tx,
  );
  await promoteIntermediate(tx, workspaceId);
}

/**
 * The newest final intermediate state version becomes the current one, unless the current one is newer. The caller holds the lock on
 * the workspace row.
 */
export async function promoteIntermediate(tx: Transaction<Database>, workspaceId: string): Promise<void> {
  await sql`
    with newest as (
      select s.id, s.resource_count, s.position from ws_state_versions s
       where s.workspace_id = ${workspaceId} and s.intermediate and s.status = 'finalized'
       order by s.position desc limit 1
    ), promoted as (
      update ws_workspaces w set current_state_version_id = n.id, resource_count = n.resource_count, latest_change_at = now()
        from newest n
       where w.id = ${workspaceId}
         and n.position > coalesce((select c.position from ws_state_versions c where c.id = w.current_state_version_id), 0)
      returning n.id
    )
    update ws_state_versions set intermediate = false where id in (select id from promoted)`.execute(tx);
}

/** An upload without activity for this long counts as abandoned. */
const silentSeconds = 120;

/**
 * Whether the newest state version is still pending, so that the final state of this lock is not known yet. An upload without
 * activity for two minutes is ignored.
 */
export async function isStatePending(
  tx: Transaction<Database>,
  { id, lock_epoch }: Pick<WorkspaceRow, 'id' | 'lock_epoch'>,
): Promise<boolean> {
  const { rows } = await rowsOf({ pending: bool })`
    select s.status = 'pending' and (
             s.created_at > now() - make_interval(secs => ${silentSeconds}) or exists (
               select 1 from ws_blobs b where b.workspace_id = s.workspace_id and b.kind = 'state' and not b.whole
                  and b.touched_at > now() - make_interval(secs => ${silentSeconds}))) as pending
      from ws_state_versions s
     where s.workspace_id = ${id} and s.status <> 'discarded' and s.lock_epoch = ${lock_epoch} order by s.position desc limit 1`.execute(
    tx,
  );
  return rows[0]?.pending === true;
}
