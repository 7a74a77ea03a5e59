import { sql, type Transaction } from 'kysely';
import { conflict } from '#path/jsonapi/error.ts';
import { bool, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import type { WorkspaceRow } from '../../access/workspace.ts';

/** Deletes a workspace that is not locked and manages no resources. @throws ApiError 409 for any other workspace */
export async function removeSafely(store: Store, { id }: Pick<WorkspaceRow, 'id'>): Promise<undefined> {
  await store.transaction(async (tx) => {
    const { lock_kind, resource_count } = await holdWorkspace(tx, id, 'removal');
    if (lock_kind !== null)
      throw conflict('Workspace is currently locked. Workspace must be unlocked before it can be safely deleted');
    if (await isProcessing(tx, id))
      throw conflict('Latest workspace state is being processed to discover resources, please try again later');
    if (resource_count > 0) throw conflict('workspace cannot be safely deleted because it is still managing resources');
    await remove(tx, id);
  });
}

/** Deletes a workspace even if it manages resources. */
export async function removeByForce(store: Store, { id }: Pick<WorkspaceRow, 'id'>): Promise<undefined> {
  await store.transaction((tx) => remove(tx, id));
}

/** Whether the newest state has not been received or read yet, so that the number of resources is unknown. */
async function isProcessing(tx: Transaction<Database>, id: string): Promise<boolean> {
  const { rows } = await rowsOf({ status: text, resources_processed: bool })`
    select status, resources_processed from ws_state_versions where workspace_id = ${id}
     order by serial desc, created_at desc, id desc limit 1`.execute(tx);
  const [newest] = rows;
  return newest?.status === 'pending' || (newest?.status === 'finalized' && !newest.resources_processed);
}

async function remove(tx: Transaction<Database>, id: string): Promise<void> {
  await sql`delete from ws_workspaces where id = ${id}`.execute(tx);
}
