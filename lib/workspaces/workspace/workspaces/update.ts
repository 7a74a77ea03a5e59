import { sql, type Transaction } from 'kysely';
import { attributesOf, dataOf, relatedMany, relatedOne } from '../../../path/jsonapi/body.ts';
import { notFound } from '../../../path/jsonapi/error.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import type { Database } from '../../../store/tables.ts';
import {
  type FoundWorkspace,
  findWorkspace,
  mustHave,
  type WorkspaceName,
  type WorkspaceRow,
} from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { bindingsOf, setBindings } from '../tag-bindings/write.ts';
import { tagNamesIn } from '../tags/named.ts';
import { addTags } from '../tags/write.ts';
import { mustBeOfOrganization, withPool } from './bonds.ts';
import { workspaceDocument } from './document.ts';
import { updateFields } from './fields.ts';
import { mustLeave, projectToMoveTo } from './project.ts';
import { type Columns, changedColumns } from './settings/change.ts';

/** Changes what the request names and keeps the rest. Changes that come together are made one after the other. */
export async function updateWorkspace(parts: WorkspaceParts, call: ApiCall, by: WorkspaceName): Promise<DocumentReply> {
  const { store } = parts;
  const found = await findWorkspace(store, call.caller, by);
  mustHave(found.levels.admin);
  await withRefusals({ ws_workspaces_name: 'name' }, () => store.transaction((tx) => change(tx, found, call)));
  const changed = await findWorkspace(store, call.caller, { workspace_id: found.workspace.id });
  return { data: await workspaceDocument(parts, changed, call) };
}

async function change(tx: Transaction<Database>, found: FoundWorkspace, call: ApiCall): Promise<void> {
  const { id, organization_id: organizationId } = found.workspace;
  const current = await locked(tx, id);
  const data = dataOf(call, 'workspaces');
  const columns = changedColumns(current, withPool(attributesOf(call, 'workspaces', updateFields), data));
  const projectId = await projectAfter(tx, found, current, relatedOne(data, 'project')?.id);
  await mustBeOfOrganization(tx, { id, organizationId, projectId }, changedBonds(current, columns));
  await sql`
    update ws_workspaces set (project_id, name, settings, execution_mode, agent_pool_id, engine_version, global_remote_state,
                              oauth_token_id, updated_at, latest_change_at)
      = (${projectId}, ${columns.name}, ${JSON.stringify(columns.settings)}::jsonb, ${columns.execution_mode},
         ${columns.agent_pool_id}, ${columns.engine_version}, ${columns.global_remote_state}, ${columns.oauth_token_id}, now(), now())
     where id = ${id}`.execute(tx);
  const bindings = relatedMany(data, 'tag-bindings');
  if (bindings !== undefined) await setBindings(tx, { workspaceId: id }, bindingsOf(bindings));
  await addTags(tx, organizationId, id, await tagNamesIn(tx, organizationId, relatedMany(data, 'tags') ?? []));
}

/** What the workspace had already is not looked at again: a pool may have been taken from it since. */
const changedBonds = (current: WorkspaceRow, { agent_pool_id, oauth_token_id }: Columns) => ({
  agent_pool_id: agent_pool_id === current.agent_pool_id ? null : agent_pool_id,
  oauth_token_id: oauth_token_id === current.oauth_token_id ? null : oauth_token_id,
});

/** A workspace as nobody else can change it until the transaction ends. @throws ApiError 404 when it has gone meanwhile */
export async function locked(tx: Transaction<Database>, id: string): Promise<WorkspaceRow> {
  const { rows } = await sql<WorkspaceRow>`select * from ws_workspaces where id = ${id} for update`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

/** Who moves a workspace is an administrator of both projects (specification 002, section 4.3). */
async function projectAfter(
  tx: Transaction<Database>,
  { standing, levels }: FoundWorkspace,
  { project_id }: WorkspaceRow,
  named: string | undefined,
): Promise<string> {
  if (named === undefined || named === project_id) return project_id;
  mustLeave(levels.moves);
  return projectToMoveTo(tx, standing, named);
}
