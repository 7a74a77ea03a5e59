import { sql } from 'kysely';
import { dataListOf } from '../../../path/jsonapi/body.ts';
import { pageOf, told } from '../../../path/jsonapi/page.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { findWorkspace, mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { likePattern } from '../../frame/like.ts';
import { idsOf, namesOf, tagsNamedIn } from './named.ts';
import { removeTags } from './remove.ts';
import { type TagRow, tagColumns, tagResource } from './view.ts';
import { addTags } from './write.ts';

const workspaceIn = ({ store }: WorkspaceParts, { caller, parameters }: ApiCall) =>
  findWorkspace(store, caller, { workspace_id: parameters['workspace_id'] ?? '' });

/** A page of the flat tags of a workspace, in the order in which they were added. `name` finds a part of the name. */
export async function listWorkspaceTags(parts: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const page = pageOf(call.query);
  const { workspace, standing } = await workspaceIn(parts, call);
  const { rows } = await sql<TagRow>`
    select ${tagColumns}
      from ws_workspace_tags b join ws_tags t on t.id = b.tag_id
     where b.workspace_id = ${workspace.id} and t.name like lower(${likePattern(call.query.get('name'))})
     order by b.position`.execute(parts.store.db);
  const shown = rows.slice(page.offset, page.offset + page.size);
  return { data: shown.map((row) => tagResource(standing, row)), page: told(page, rows.length) };
}

/** Binds tags by name, making those that are not there, or by id. */
export async function addWorkspaceTags(parts: WorkspaceParts, call: ApiCall): Promise<undefined> {
  const { workspace, levels } = await workspaceIn(parts, call);
  mustHave(levels.admin);
  const { ids, names } = tagsNamedIn(dataListOf(call));
  const { id, organization_id } = workspace;
  await parts.store.transaction(async (tx) => {
    await holdWorkspace(tx, id);
    await addTags(tx, organization_id, id, [...names, ...(await namesOf(tx, organization_id, ids))]);
  });
}

/** Takes tags away. A name that is unknown is passed over; an id has to be one of the organization's. */
export async function removeWorkspaceTags(parts: WorkspaceParts, call: ApiCall): Promise<undefined> {
  const { workspace, levels } = await workspaceIn(parts, call);
  mustHave(levels.admin);
  const { ids, names } = tagsNamedIn(dataListOf(call));
  const { id, organization_id } = workspace;
  await parts.store.transaction(async (tx) => {
    await holdWorkspace(tx, id);
    await namesOf(tx, organization_id, ids);
    await removeTags(tx, id, [...ids, ...(await idsOf(tx, organization_id, names))]);
  });
}
