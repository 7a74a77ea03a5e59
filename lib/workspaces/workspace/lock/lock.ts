import { sql } from 'kysely';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import { type FoundWorkspace, findWorkspace, mustHave, type WorkspaceRow } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { workspaceDocument } from '../workspaces/document.ts';
import { holderIn, holderOf } from './holder.ts';
import { reasonOf } from './reason.ts';
import { alreadyLocked } from './verdict.ts';

/** Locks a workspace for the caller: of many callers at once one alone. @throws ApiError 409 when it is locked */
export async function lockWorkspace(parts: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const found = await findWorkspace(parts.store, call.caller, { workspace_id: call.parameters['workspace_id'] ?? '' });
  mustHave(found.levels.locking);
  const workspace = await take(parts, call, found);
  return { data: await workspaceDocument(parts, { ...found, workspace }, call) };
}

async function take(parts: WorkspaceParts, call: ApiCall, found: FoundWorkspace): Promise<WorkspaceRow> {
  const { kind, id } = holderOf(call.caller);
  const { rows } = await sql<WorkspaceRow>`
    update ws_workspaces set lock_kind = ${kind}, lock_holder = ${id}, lock_reason = ${reasonOf(call)},
           lock_epoch = lock_epoch + 1
     where id = ${found.workspace.id} and lock_kind is null
    returning *`.execute(parts.store.db);
  const [row] = rows;
  if (row !== undefined) return row;
  // Read anew: who has it now is not who had it when the request began.
  const { workspace } = await findWorkspace(parts.store, call.caller, { workspace_id: found.workspace.id });
  throw alreadyLocked(holderIn(workspace));
}
