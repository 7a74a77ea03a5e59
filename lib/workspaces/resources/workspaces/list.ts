import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import type { Standing } from '../../access/standing.ts';
import type { WorkspaceParts } from '../../contract.ts';
import type { Include } from '../workspace-includes/including.ts';
import { selectionOf } from '../workspace-search/condition.ts';
import type { Order } from '../workspace-search/order.ts';
import { pageOfRows } from '../workspace-search/page.ts';
import { isNarrowing, type ListQuery } from '../workspace-search/query.ts';
import { foundIn, workspaceDocuments } from './document.ts';

interface WorkspaceQuery {
  readonly page: Page;
  readonly order: Order;
  readonly narrowed: ListQuery;
  readonly include: readonly Include[];
}

/** A page of the workspaces of an organization that the caller may read. */
export async function listWorkspaces(
  parts: WorkspaceParts,
  standing: Standing,
  { page, order, narrowed, include }: WorkspaceQuery,
  origin: string,
): Promise<DocumentReply> {
  const selection = selectionOf(standing.organization.id, narrowed);
  const isNarrow = isNarrowing(narrowed);
  const { rows, total } = await pageOfRows(parts.store, standing, { selection, isNarrow, order, page });
  const documents = await workspaceDocuments(parts, foundIn(standing, rows), { asked: include, origin });
  return { ...documents, page: pageInfo(page, total) };
}
