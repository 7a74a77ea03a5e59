import { pageOf, told } from '../../../../path/jsonapi/page.ts';
import type { ApiCall, DocumentReply } from '../../../../path/jsonapi/row.ts';
import { standingIn } from '../../../access/standing.ts';
import type { WorkspaceParts } from '../../../contract.ts';
import { foundIn, workspaceDocuments } from '../document.ts';
import { includesOf } from '../include/includes.ts';
import { selectionOf } from './condition.ts';
import { orderOf } from './order.ts';
import { pageOfRows } from './page.ts';
import { isNarrowing, listQueryOf } from './query.ts';

/** A page of the workspaces of an organization that the caller may read. */
export async function listWorkspaces(parts: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const { query } = call;
  const [page, order, narrowed] = [pageOf(query), orderOf(query), listQueryOf(query)];
  includesOf(query);
  const standing = await standingIn(parts.store, call.caller, call.parameters['organization_name'] ?? '');
  const selection = selectionOf(standing.organization.id, narrowed);
  const isNarrow = isNarrowing(narrowed);
  const { rows, total } = await pageOfRows(parts.store, standing, { selection, isNarrow, order, page });
  return { ...(await workspaceDocuments(parts, foundIn(standing, rows), call)), page: told(page, total) };
}
