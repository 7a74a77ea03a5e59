import { sql } from 'kysely';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import { dataOf } from '../../../path/jsonapi/body.ts';
import { unprocessable } from '../../../path/jsonapi/error.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import { findWorkspace, mustHave, type WorkspaceRow } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { workspaceDocument } from '../../workspace/workspaces/document.ts';

/** Gives a workspace a key of its organization, or takes the one that it has. @throws ApiError 422 for another key */
export async function assignSshKey(parts: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const by = { workspace_id: call.parameters['workspace_id'] ?? '' };
  const found = await findWorkspace(parts.store, call.caller, by);
  mustHave(found.levels.admin);
  const keyId = keyIdOf(call);
  const { rows } = await sql<WorkspaceRow>`
    update ws_workspaces w set ssh_key_id = ${keyId}, updated_at = now()
     where w.id = ${found.workspace.id} and (${keyId}::text is null or exists (
       select 1 from ws_ssh_keys k where k.id = ${keyId} and k.organization_id = w.organization_id for key share))
    returning w.*`.execute(parts.store.db);
  const [workspace] = rows;
  if (workspace === undefined) throw unprocessable('SSH key not found, or you are not authorized to use it.');
  return { data: await workspaceDocument(parts, { ...found, workspace }, call) };
}

/**
 * The key that a body names, null for none: as the attribute `id` of a workspace, as the identifier of a key, or as a relationship
 * that leads nowhere.
 */
function keyIdOf(call: ApiCall): string | null {
  if (isJsonObject(call.body ?? null) && (call.body as JsonObject)['data'] === null) return null;
  const data = dataOf(call);
  const { attributes = null, type } = data;
  if (type !== 'workspaces' && type !== 'ssh-keys') throw unprocessable('type has to be "workspaces" or "ssh-keys"');
  const id = type === 'ssh-keys' ? data['id'] : isJsonObject(attributes) ? attributes['id'] : undefined;
  if (id === null || id === '') return null;
  if (typeof id !== 'string') throw unprocessable('id has to be that of an SSH key, or null');
  return id;
}
