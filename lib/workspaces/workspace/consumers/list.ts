import { type RawBuilder, sql } from 'kysely';
import { pageOf, told } from '../../../path/jsonapi/page.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import { isReadable } from '../../access/standing.ts';
import { findWorkspace, type WorkspaceRow } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { foundIn, workspaceDocuments } from '../workspaces/document.ts';
import { byName } from '../workspaces/list/order.ts';
import { pageOfRows } from '../workspaces/list/page.ts';
import { settingsOf } from '../workspaces/settings/settings.ts';

/**
 * A page of the workspaces that may read the state of one, as far as the caller may read them (specification 002, section 4.7): every
 * other one of the organization or of the project it shares its state with, otherwise those that were named. `show_only_configured`:
 * the named ones in each case.
 */
export async function listConsumers(parts: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const page = pageOf(call.query);
  const by = { workspace_id: call.parameters['workspace_id'] ?? '' };
  const { workspace, standing } = await findWorkspace(parts.store, call.caller, by);
  const { global_remote_state: isShared } = workspace;
  const isConfigured = call.query.get('show_only_configured') === 'true';
  const consumers = isConfigured ? named(workspace) : consumersOf(workspace);
  const { rows, total } = await pageOfRows(parts.store, standing, {
    selection: { from: sql`ws_workspaces w`, where: sql`${consumers} and ${isReadable(standing)}` },
    ...{ isNarrow: isConfigured || !isShared, order: byName, page },
  });
  const documents = await workspaceDocuments(parts, foundIn(standing, rows), call);
  return { ...documents, page: told(page, total) };
}

function consumersOf(workspace: WorkspaceRow): RawBuilder<unknown> {
  if (workspace.global_remote_state) return others(workspace);
  if (settingsOf(workspace.settings)['project-remote-state']) return othersOfProject(workspace);
  return named(workspace);
}

const othersOfProject = ({ id, project_id }: WorkspaceRow): RawBuilder<unknown> =>
  sql`w.project_id = ${project_id} and w.id <> ${id}`;

const others = ({ id, organization_id }: WorkspaceRow): RawBuilder<unknown> =>
  sql`w.organization_id = ${organization_id} and w.id <> ${id}`;

const named = ({ id }: WorkspaceRow): RawBuilder<unknown> =>
  sql`w.id in (select consumer_id from ws_consumers where workspace_id = ${id})`;
