import { sql, type Transaction } from 'kysely';
import { conflict, forbidden } from '../../../path/jsonapi/error.ts';
import type { ApiCall } from '../../../path/jsonapi/row.ts';
import type { Database } from '../../../store/tables.ts';
import { permissionsOf } from '../../access/permissions.ts';
import { findWorkspace, mustHave, type WorkspaceName } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { locked } from './update.ts';

/** Removes a workspace that manages nothing and that nobody has locked. @throws ApiError 409 for another one */
export async function removeSafely({ store }: WorkspaceParts, call: ApiCall, by: WorkspaceName): Promise<undefined> {
  const { workspace, levels } = await findWorkspace(store, call.caller, by);
  mustHave(levels.removes);
  await store.transaction(async (tx) => {
    const { lock_kind, resource_count } = await locked(tx, workspace.id);
    if (lock_kind !== null)
      throw conflict('Workspace is currently locked. Workspace must be unlocked before it can be safely deleted');
    if (await isProcessing(tx, workspace.id))
      throw conflict('Latest workspace state is being processed to discover resources, please try again later');
    if (resource_count > 0) throw conflict('workspace cannot be safely deleted because it is still managing resources');
    await remove(tx, workspace.id);
  });
}

/** Removes a workspace whatever it manages. @throws ApiError 403 for who may read it and not do this */
export async function removeByForce({ store }: WorkspaceParts, call: ApiCall, by: WorkspaceName): Promise<undefined> {
  const { workspace, standing, levels } = await findWorkspace(store, call.caller, by);
  if (!permissionsOf(standing, levels)['can-force-delete']) throw forbidden();
  await store.transaction((tx) => remove(tx, workspace.id));
}

/** How many resources there are is known once the newest state has come and was read. */
async function isProcessing(tx: Transaction<Database>, id: string): Promise<boolean> {
  const { rows } = await sql<{ status: string; resources_processed: boolean }>`
    select status, resources_processed from ws_state_versions where workspace_id = ${id}
     order by serial desc, created_at desc, id desc limit 1`.execute(tx);
  const [newest] = rows;
  return newest?.status === 'pending' || (newest?.status === 'finalized' && !newest.resources_processed);
}

async function remove(tx: Transaction<Database>, id: string): Promise<void> {
  await sql`delete from ws_workspaces where id = ${id}`.execute(tx);
}
