import { notFound, notYet } from '#path/jsonapi/error.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import { paged } from '#path/jsonapi/query.ts';
import type { ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceRow } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { type OutputRow, outputOf, outputRowColumns, outputsOfVersions } from '../state-versions/outputs.ts';
import { readStateVersion } from '../state-versions/store.ts';

const needs = { workspace: 'read-outputs' } as const;

/** Outputs of state versions. */
export const stateVersionOutputRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: '/api/v2/workspaces/:workspace_id/current-state-version-outputs',
    summary: 'List the outputs of the current state of a workspace',
    needs,
    query: { page: paged() },
    replies: { 200: ['state-version-outputs'], 503: 'The outputs are still being read' },
    run: ({ found, query }) => listCurrent(store, found.workspace, query.page),
  }),
  operation({
    method: 'GET',
    path: '/api/v2/state-versions/:state_version_id/outputs',
    summary: 'List the outputs of a state version',
    needs,
    query: { page: paged() },
    replies: { 200: ['state-version-outputs'] },
    run: async ({ parameters, query }) =>
      listed(store, await outputsOfVersions(store, [parameters.state_version_id]), query.page, { hidden: false }),
  }),
  operation({
    method: 'GET',
    path: '/api/v2/state-version-outputs/:output_id',
    summary: 'Read an output of a state version',
    needs,
    replies: { 200: 'state-version-outputs' },
    run: ({ parameters }) => show(store, parameters.output_id),
  }),
];

type Store = WorkspaceParts['store'];

async function listCurrent(
  store: Store,
  { current_state_version_id: id }: WorkspaceRow,
  page: Page,
): Promise<ApiReply> {
  if (id === null) throw notFound();
  const version = await readStateVersion(store.db, id);
  if (!version.resources_processed) throw notYet('The outputs of the state are still being read');
  return listed(store, await outputsOfVersions(store, [version.id]), page, { hidden: true });
}

function listed(store: Store, rows: readonly OutputRow[], page: Page, hiding: { readonly hidden: boolean }): ApiReply {
  const onPage = rows.slice(page.offset, page.offset + page.size);
  return { data: onPage.map((row) => outputOf(store, row, hiding)), page: pageInfo(page, rows.length) };
}

/** Always with the value: this is how clients read sensitive outputs. */
async function show(store: Store, id: string): Promise<ApiReply> {
  const { rows } = await rowsOf(outputRowColumns)`
    select id, state_version_id, name, sensitive, type, detailed_type, value from ws_state_outputs
     where id = ${id}`.execute(store.db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return { data: outputOf(store, row, { hidden: false }) };
}
