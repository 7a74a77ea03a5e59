import { sql, type Transaction } from 'kysely';
import { invalidAttribute, unprocessable } from '#path/jsonapi/error.ts';
import type { BodyOf } from '#path/jsonapi/input.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import type { Database } from '#store/tables.ts';
import type { Standing } from '../../access/standing.ts';
import { findWorkspace } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { scheduleAssessments } from '../assessments/store.ts';
import { mustBeAhead, reschedule } from '../auto-destroy/schedule.ts';
import { bindingsOf, setBindings } from '../tag-bindings/write.ts';
import { tagNamesIn } from '../tags/named.ts';
import { addTags } from '../tags/write.ts';
import { changedColumns, newColumns } from '../workspace-settings/change.ts';
import type { createBody } from './bodies.ts';
import { workspaceDocument } from './document.ts';
import { mustManageTags, projectToCreateIn } from './project.ts';
import { mustBeOfOrganization, mustReach, withPool } from './references.ts';

/** Creates a workspace with its tags. Of several concurrent requests with the same name, one succeeds. */
export async function createWorkspace(
  parts: WorkspaceParts,
  standing: Standing,
  sent: BodyOf<typeof createBody>,
): Promise<DocumentReply> {
  const { store } = parts;
  mustBeAhead(sent.attributes['auto-destroy-at'], undefined, store.clock.now());
  const id = newId('ws');
  await mustReachRepository(parts, { standing, id, sent });
  await withRefusals({ ws_workspaces_name: 'name' }, () =>
    store.transaction((tx) => insert(tx, { standing, id, sent })),
  );
  const found = await findWorkspace(store, standing.caller, { workspace_id: id });
  return { status: 201, data: await workspaceDocument(parts, found) };
}

/** Before the workspace is made, since a look at a repository takes its time. @throws ApiError 422 */
async function mustReachRepository(parts: WorkspaceParts, { standing, id, sent }: NewWorkspace): Promise<void> {
  const columns = columnsOf(sent);
  if (columns.oauth_token_id === null) return;
  const organizationId = standing.organization.id;
  const { projectId } = await parts.store.transaction((tx) =>
    projectToCreateIn(tx, standing, sent.related.project?.id),
  );
  await mustReach(parts, { id, organizationId, projectId }, { current: newColumns, next: columns });
}

interface NewWorkspace {
  readonly standing: Standing;
  readonly id: string;
  readonly sent: BodyOf<typeof createBody>;
}

async function insert(tx: Transaction<Database>, { standing, id, sent }: NewWorkspace): Promise<void> {
  const { related } = sent;
  const { projectId, managesTags } = await projectToCreateIn(tx, standing, related.project?.id);
  const organizationId = standing.organization.id;
  const columns = columnsOf(sent);
  await mustBeOfOrganization(tx, { id, organizationId, projectId }, columns);
  await mustHaveRoom(tx, organizationId);
  await sql`
    insert into ws_workspaces (id, organization_id, project_id, name, settings, execution_mode, agent_pool_id, engine_version,
                               global_remote_state, oauth_token_id)
    values (${id}, ${organizationId}, ${projectId}, ${columns.name}, ${JSON.stringify(columns.settings)}, ${columns.execution_mode},
            ${columns.agent_pool_id}, ${columns.engine_version}, ${columns.global_remote_state}, ${columns.oauth_token_id})`.execute(
    tx,
  );
  await reschedule(tx, sql`w.id = ${id}`);
  if (sent.attributes['assessments-enabled'] === true) await scheduleAssessments(tx, sql`w.id = ${id}`);
  const bindings = bindingsOf(related['tag-bindings'] ?? []);
  const tags = await tagNamesIn(tx, organizationId, related.tags ?? []);
  if (bindings.length + tags.length > 0) mustManageTags(managesTags);
  await setBindings(tx, { workspaceId: id }, bindings);
  await addTags(tx, organizationId, id, tags);
}

function columnsOf({ attributes, data }: NewWorkspace['sent']) {
  if (attributes.name === undefined) throw invalidAttribute('name', "Name can't be blank");
  return changedColumns(newColumns, withPool(attributes, data));
}

/** Workspaces of one organization. */
const workspacesMax = 100_000;

async function mustHaveRoom(tx: Transaction<Database>, organizationId: string): Promise<void> {
  const { rows } = await sql`
    select 1 from ws_workspaces where organization_id = ${organizationId} offset ${workspacesMax - 1} limit 1`.execute(
    tx,
  );
  if (rows.length > 0) throw unprocessable(`An organization may have at most ${workspacesMax} workspaces.`);
}
