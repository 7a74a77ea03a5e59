import { sql } from 'kysely';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import { opaqueParameter } from '#store/postgres/statements/parameters.ts';
import type { FoundWorkspace, WorkspaceRow } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import type { Include } from '../workspace-includes/including.ts';
import type { Selection } from '../workspace-search/condition.ts';
import { byName } from '../workspace-search/order.ts';
import { pageOfRows } from '../workspace-search/page.ts';
import { settingsOf } from '../workspace-settings/settings.ts';
import { foundIn, workspaceDocuments } from '../workspaces/document.ts';

interface ConsumerQuery {
  readonly page: Page;
  /** Only the configured consumers. */
  readonly isConfigured: boolean;
  readonly include: readonly Include[];
  readonly origin: string;
}

/**
 * A page of the workspaces that may read the state of a workspace, as far as the caller may read them: all others of the organization
 * or the project if the state is shared with it, else the configured ones. `show_only_configured` selects the configured ones in any
 * case.
 */
export async function listConsumers(
  parts: WorkspaceParts,
  { workspace, standing }: FoundWorkspace,
  { page, isConfigured, include, origin }: ConsumerQuery,
): Promise<DocumentReply> {
  const selection = isConfigured ? named(workspace) : consumersOf(workspace);
  const isNarrow = selection.found.length > 0;
  const { rows, total } = await pageOfRows(parts.store, standing, { selection, isNarrow, order: byName, page });
  const documents = await workspaceDocuments(parts, foundIn(standing, rows), { asked: include, origin });
  return { ...documents, page: pageInfo(page, total) };
}

function consumersOf(workspace: WorkspaceRow): Selection {
  const { id, project_id, global_remote_state: isShared } = workspace;
  const others = [sql`w.id <> ${opaqueParameter(id, 'text')}`];
  if (isShared) return { found: [], checks: others };
  if (settingsOf(workspace.settings)['project-remote-state'])
    return { found: [sql`w.project_id = ${opaqueParameter(project_id, 'text')}`], checks: others };
  return named(workspace);
}

const named = ({ id }: WorkspaceRow): Selection => ({
  found: [sql`w.id in (select consumer_id from ws_consumers where workspace_id = ${opaqueParameter(id, 'text')})`],
  checks: [],
});
