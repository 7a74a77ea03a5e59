import { type RawBuilder, sql } from 'kysely';
import { type Page, pageOf, told } from '../../../path/jsonapi/page.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import { grantsOfWorkspace, isReadable, type Standing } from '../../access/standing.ts';
import { findWorkspace, type GrantedRow, grantColumns, type WorkspaceRow } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { foundIn, workspaceDocuments } from '../workspaces/document.ts';
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
  const condition = call.query.get('show_only_configured') === 'true' ? named(workspace) : consumersOf(workspace);
  const { rows, total } = await pageOfRows(parts.store, standing, condition, page);
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

/** The rows of a page by name, with the number of all, in one statement. Beyond the end it answers the number alone. */
async function pageOfRows(
  { db }: Pick<Store, 'db'>,
  standing: Standing,
  condition: RawBuilder<unknown>,
  { size, offset }: Page,
): Promise<{ readonly rows: readonly GrantedRow[]; readonly total: number }> {
  const readable = sql`from ws_workspaces w where ${condition} and ${isReadable(standing)}`;
  const { rows } = await sql<GrantedRow & { readonly total: number }>`
    select c.total, w.*, ${grantColumns} from (select count(*)::integer as total ${readable}) c
      left join (select w.id ${readable} order by lower(w.name), w.id limit ${size} offset ${offset}) p on true
      left join ws_workspaces w on w.id = p.id left join lateral ${grantsOfWorkspace(standing)} g on true
     order by lower(w.name), w.id`.execute(db);
  return { total: rows[0]?.total ?? 0, rows: rows.filter(({ id }) => id !== null) };
}
