import { type RawBuilder, sql } from 'kysely';
import { type Page, pageOf, told } from '../../../path/jsonapi/page.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import { grantsOfWorkspace, isReadable, type Standing } from '../../access/standing.ts';
import { findWorkspace, type GrantedRow, grantColumns, type WorkspaceRow } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { foundIn, workspaceDocuments } from '../workspaces/document.ts';

/**
 * A page of the workspaces that may read the state of one, as far as the caller may read them (specification 002, section 4.7): those
 * that were named, or every other one of the organization. `show_only_configured`: the named ones in either case.
 */
export async function listConsumers(parts: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const page = pageOf(call.query);
  const by = { workspace_id: call.parameters['workspace_id'] ?? '' };
  const { workspace, standing } = await findWorkspace(parts.store, call.caller, by);
  const isGlobal = workspace.global_remote_state && call.query.get('show_only_configured') !== 'true';
  const condition = isGlobal ? others(workspace) : named(workspace);
  const { rows, total } = await pageOfRows(parts.store, standing, condition, page);
  const documents = await workspaceDocuments(parts, foundIn(standing, rows), call);
  return { ...documents, page: told(page, total) };
}

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
