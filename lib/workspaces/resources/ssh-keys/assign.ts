import { isJsonObject, type Json } from '#core/json/json.ts';
import { dataOf } from '#path/jsonapi/body.ts';
import { unprocessable } from '#path/jsonapi/error.ts';
import { type BodySchema, otherBody } from '#path/jsonapi/input.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { type FoundWorkspace, workspaceColumns } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { workspaceDocument } from '../workspaces/document.ts';

/** Assigns a key of its organization to a workspace, or removes it. @throws ApiError 422 for any other key */
export async function assignSshKey(
  parts: WorkspaceParts,
  found: FoundWorkspace,
  keyId: string | null,
): Promise<DocumentReply> {
  const { rows } = await rowsOf(workspaceColumns)`
    update ws_workspaces w set ssh_key_id = ${keyId}, updated_at = now()
     where w.id = ${found.workspace.id} and (${keyId}::text is null or exists (
       select 1 from ws_ssh_keys k where k.id = ${keyId} and k.organization_id = w.organization_id for key share))
    returning w.*`.execute(parts.store.db);
  const [workspace] = rows;
  if (workspace === undefined) throw unprocessable('SSH key not found, or you are not authorized to use it.');
  return { data: await workspaceDocument(parts, { ...found, workspace }) };
}

/** A document of a workspace or of a key, with the id of the key to assign. */
export const sshKeyBody: BodySchema<string | null> = otherBody(
  {
    schema: {
      type: 'object',
      required: ['data'],
      properties: {
        data: {
          type: 'object',
          nullable: true,
          required: ['type'],
          properties: {
            type: { enum: ['workspaces', 'ssh-keys'] },
            id: { type: 'string' },
            attributes: { type: 'object', properties: { id: { type: 'string', nullable: true } } },
          },
        },
      },
    },
  },
  keyIdOf,
);

/**
 * The id of the key in a body, null for none: as the attribute `id` of a workspace, as a resource identifier, or as an empty
 * relationship.
 */
function keyIdOf(body: Json | undefined): string | null {
  if (body !== undefined && isJsonObject(body) && body['data'] === null) return null;
  const data = dataOf({ body });
  const { attributes = null, type } = data;
  if (type !== 'workspaces' && type !== 'ssh-keys') throw unprocessable('type must be "workspaces" or "ssh-keys"');
  const id = type === 'ssh-keys' ? data['id'] : isJsonObject(attributes) ? attributes['id'] : undefined;
  if (id === null || id === '') return null;
  if (typeof id !== 'string') throw unprocessable('id must be the id of an SSH key, or null');
  return id;
}
