import { sql, type Transaction } from 'kysely';
import type { JsonObject } from '../../../core/json.ts';
import { attributesOf, dataOf, relatedMany, relatedOne } from '../../../path/jsonapi/body.ts';
import { invalidAttribute, unprocessable } from '../../../path/jsonapi/error.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import type { Database } from '../../../store/tables.ts';
import { type Standing, standingIn } from '../../access/standing.ts';
import { findWorkspace } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { bindingsOf, setBindings } from '../tag-bindings/write.ts';
import { tagNamesIn } from '../tags/named.ts';
import { addTags } from '../tags/write.ts';
import { mustBeOfOrganization, withPool } from './bonds.ts';
import { workspaceDocument } from './document.ts';
import { createFields } from './fields.ts';
import { mustManageTags, projectToCreateIn } from './project.ts';
import { changedColumns, newColumns } from './settings/change.ts';

/** Makes a workspace, with its tags. Of several clients that ask for one name, one has it. */
export async function createWorkspace(parts: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const { store } = parts;
  const standing = await standingIn(store, call.caller, call.parameters['organization_name'] ?? '');
  const data = dataOf(call);
  const id = newId('ws');
  await withRefusals({ ws_workspaces_name: 'name' }, () =>
    store.transaction((tx) => insert({ tx, standing, id, data, call })),
  );
  const found = await findWorkspace(store, call.caller, { workspace_id: id });
  return { status: 201, data: await workspaceDocument(parts, found, call) };
}

interface Making {
  readonly tx: Transaction<Database>;
  readonly standing: Standing;
  readonly id: string;
  readonly data: JsonObject;
  readonly call: ApiCall;
}

async function insert({ tx, standing, id, data, call }: Making): Promise<void> {
  const { projectId, managesTags } = await projectToCreateIn(tx, standing, relatedOne(data, 'project')?.id);
  const organizationId = standing.organization.id;
  const columns = columnsOf(call);
  await mustBeOfOrganization(tx, { id, organizationId, projectId }, columns);
  await mustHaveRoom(tx, organizationId);
  await sql`
    insert into ws_workspaces (id, organization_id, project_id, name, settings, execution_mode, agent_pool_id, engine_version,
                               global_remote_state, oauth_token_id)
    values (${id}, ${organizationId}, ${projectId}, ${columns.name}, ${JSON.stringify(columns.settings)}, ${columns.execution_mode},
            ${columns.agent_pool_id}, ${columns.engine_version}, ${columns.global_remote_state}, ${columns.oauth_token_id})`.execute(
    tx,
  );
  const bindings = bindingsOf(relatedMany(data, 'tag-bindings') ?? []);
  const tags = await tagNamesIn(tx, organizationId, relatedMany(data, 'tags') ?? []);
  if (bindings.length + tags.length > 0) mustManageTags(managesTags);
  await setBindings(tx, { workspaceId: id }, bindings);
  await addTags(tx, organizationId, id, tags);
}

function columnsOf(call: ApiCall) {
  const sent = attributesOf(call, 'workspaces', createFields);
  if (sent.name === undefined) throw invalidAttribute('name', "Name can't be blank");
  return changedColumns(newColumns, withPool(sent, dataOf(call)));
}

/** Of one organization. */
const workspacesMax = 100_000;

async function mustHaveRoom(tx: Transaction<Database>, organizationId: string): Promise<void> {
  const { rows } = await sql`
    select 1 from ws_workspaces where organization_id = ${organizationId} offset ${workspacesMax - 1} limit 1`.execute(
    tx,
  );
  if (rows.length > 0) throw unprocessable(`An organization may have at most ${workspacesMax} workspaces.`);
}
