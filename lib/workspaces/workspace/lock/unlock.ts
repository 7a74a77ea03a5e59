import { sql, type Transaction } from 'kysely';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import type { Database } from '../../../store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { type FoundWorkspace, findWorkspace, mustHave, type WorkspaceRow } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { endLockedStates, isStatePending } from '../../states/state-versions/promote.ts';
import { workspaceDocument } from '../workspaces/document.ts';
import { holderIn, holderOf } from './holder.ts';
import { notLocked, refusalToUnlock } from './verdict.ts';

/**
 * Releases the caller's own lock. The latest intermediate state becomes the current one.
 *
 * @throws ApiError 409 when it is not locked, or by someone else, 503 while the latest state is still to come
 */
export async function unlockWorkspace(parts: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const found = await findWorkspace(parts.store, call.caller, { workspace_id: call.parameters['workspace_id'] ?? '' });
  mustHave(found.levels.locking);
  return release(parts, call, found, async (tx, held) => {
    const refusal = refusalToUnlock(holderIn(held), holderOf(call.caller), await isStatePending(tx, held));
    if (refusal !== undefined) throw refusal;
  });
}

/** Releases whatever lock there is. A state that is still to come is given up. @throws ApiError 409 when there is none */
export async function forceUnlockWorkspace(parts: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const found = await findWorkspace(parts.store, call.caller, { workspace_id: call.parameters['workspace_id'] ?? '' });
  mustHave(found.levels.admin);
  return release(parts, call, found, async (_tx, held) => {
    if (holderIn(held) === undefined) throw notLocked();
  });
}

/** `allow` throws unless the lock of the held workspace may be released. */
async function release(
  parts: WorkspaceParts,
  call: ApiCall,
  found: FoundWorkspace,
  allow: (tx: Transaction<Database>, held: WorkspaceRow) => Promise<void>,
): Promise<DocumentReply> {
  const { id } = found.workspace;
  const workspace = await parts.store.transaction(async (tx) => {
    const held = await holdWorkspace(tx, id);
    await allow(tx, held);
    await endLockedStates(tx, id);
    const { rows } = await sql<WorkspaceRow>`
      update ws_workspaces set lock_kind = null, lock_holder = null, lock_reason = null where id = ${id} returning *`.execute(
      tx,
    );
    return rows[0] ?? held;
  });
  return { data: await workspaceDocument(parts, { ...found, workspace }, call) };
}
