import { sql } from 'kysely';
import { pageOf, told } from '../../../path/jsonapi/page.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import { unseen } from '../../../store/postgres/unseen.ts';
import { findWorkspace, type WorkspaceRow } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { foundIn, workspaceDocuments } from '../workspaces/document.ts';
import type { Selection } from '../workspaces/list/condition.ts';
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
  const isConfigured = call.query.get('show_only_configured') === 'true';
  const selection = isConfigured ? named(workspace) : consumersOf(workspace);
  const isNarrow = selection.found.length > 0;
  const { rows, total } = await pageOfRows(parts.store, standing, { selection, isNarrow, order: byName, page });
  const documents = await workspaceDocuments(parts, foundIn(standing, rows), call);
  return { ...documents, page: told(page, total) };
}

function consumersOf(workspace: WorkspaceRow): Selection {
  const { id, project_id, global_remote_state: isShared } = workspace;
  const others = [sql`w.id <> ${unseen(id, 'text')}`];
  if (isShared) return { found: [], checks: others };
  if (settingsOf(workspace.settings)['project-remote-state'])
    return { found: [sql`w.project_id = ${unseen(project_id, 'text')}`], checks: others };
  return named(workspace);
}

const named = ({ id }: WorkspaceRow): Selection => ({
  found: [sql`w.id in (select consumer_id from ws_consumers where workspace_id = ${unseen(id, 'text')})`],
  checks: [],
});
