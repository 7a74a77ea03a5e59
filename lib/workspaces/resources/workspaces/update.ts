import { sql, type Transaction } from 'kysely';
import type { BodyOf } from '#path/jsonapi/input.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import type { Database } from '#store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { type FoundWorkspace, findWorkspace, type WorkspaceRow } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { scheduleAssessments } from '../assessments/store.ts';
import { concernsSchedule, mustBeAhead, reschedule } from '../auto-destroy/schedule.ts';
import { bindingsOf, setBindings } from '../tag-bindings/write.ts';
import { tagNamesIn } from '../tags/named.ts';
import { addTags } from '../tags/write.ts';
import { type Columns, changedColumns } from '../workspace-settings/change.ts';
import type { updateBody } from './bodies.ts';
import { workspaceDocument } from './document.ts';
import { mustLeave, projectToMoveTo } from './project.ts';
import { mustBeOfOrganization, mustReach, withPool } from './references.ts';

/** Updates the attributes that were sent. Concurrent updates are serialized. */
export async function updateWorkspace(
  parts: WorkspaceParts,
  found: FoundWorkspace,
  sent: BodyOf<typeof updateBody>,
): Promise<DocumentReply> {
  const { store } = parts;
  const { workspace } = found;
  const next = changedColumns(workspace, withPool(sent.attributes, sent.data));
  const bound = { id: workspace.id, organizationId: workspace.organization_id, projectId: workspace.project_id };
  await mustReach(parts, bound, { current: workspace, next });
  await withRefusals({ ws_workspaces_name: 'name' }, () =>
    store.transaction((tx) => change(tx, found, sent, store.clock.now())),
  );
  const changed = await findWorkspace(store, found.standing.caller, { workspace_id: found.workspace.id });
  return { data: await workspaceDocument(parts, changed) };
}

async function change(
  tx: Transaction<Database>,
  found: FoundWorkspace,
  { attributes, related, data }: BodyOf<typeof updateBody>,
  now: Date,
): Promise<void> {
  const { id, organization_id: organizationId } = found.workspace;
  const current = await holdWorkspace(tx, id);
  mustBeAhead(attributes['auto-destroy-at'], current.settings['auto-destroy-at'], now);
  const columns = changedColumns(current, withPool(attributes, data));
  const projectId = await projectAfter(tx, found, current, related.project?.id);
  await mustBeOfOrganization(tx, { id, organizationId, projectId }, changedReferences(current, columns));
  await sql`
    update ws_workspaces set (project_id, name, settings, execution_mode, agent_pool_id, engine_version, global_remote_state,
                              oauth_token_id, updated_at, latest_change_at)
      = (${projectId}, ${columns.name}, ${JSON.stringify(columns.settings)}::jsonb, ${columns.execution_mode},
         ${columns.agent_pool_id}, ${columns.engine_version}, ${columns.global_remote_state}, ${columns.oauth_token_id}, now(), now())
     where id = ${id}`.execute(tx);
  if (concernsSchedule(attributes) || projectId !== current.project_id) await reschedule(tx, sql`w.id = ${id}`);
  if (attributes['assessments-enabled'] === true && current.settings['assessments-enabled'] !== true)
    await scheduleAssessments(tx, sql`w.id = ${id}`);
  const bindings = related['tag-bindings'];
  if (bindings !== undefined) await setBindings(tx, { workspaceId: id }, bindingsOf(bindings));
  await addTags(tx, organizationId, id, await tagNamesIn(tx, organizationId, related.tags ?? []));
}

/** References that do not change are not checked again, since the pool may have become unavailable to the workspace. */
const changedReferences = (current: WorkspaceRow, { agent_pool_id, oauth_token_id }: Columns) => ({
  agent_pool_id: agent_pool_id === current.agent_pool_id ? null : agent_pool_id,
  oauth_token_id: oauth_token_id === current.oauth_token_id ? null : oauth_token_id,
});

/** Only administrators of both projects may move a workspace. */
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
