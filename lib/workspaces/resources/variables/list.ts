import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import type { Store } from '#store/store.ts';
import { type VariableRow, variableOf } from './view.ts';

/** A list of variables. It is complete unless the request has a page, since old clients never request a second one. */
export function listedVariables(
  store: Pick<Store, 'barrier'>,
  page: Page | undefined,
  rows: readonly VariableRow[],
): DocumentReply {
  if (page === undefined) return { data: rows.map((row) => variableOf(store, row)) };
  const shown = rows.slice(page.offset, page.offset + page.size);
  return { data: shown.map((row) => variableOf(store, row)), page: pageInfo(page, rows.length) };
}
