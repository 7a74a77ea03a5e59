import { document } from '#path/jsonapi/input.ts';
import type { Page } from '#path/jsonapi/page.ts';
import { pagedIfAsked } from '#path/jsonapi/query.ts';
import type { ApiRow, DocumentReply } from '#path/jsonapi/row.ts';
import { workspaceFilters, workspaceIn } from '../../access/needs/named.ts';
import { operation } from '../../access/needs/operation.ts';
import type { FoundWorkspace } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { effectiveVariables } from './effective.ts';
import { variableFields } from './fields.ts';
import { listedVariables } from './list.ts';
import {
  createVariable,
  deleteVariable,
  listVariables,
  readVariable,
  updateVariable,
  type VariableChange,
} from './store.ts';
import { variableOf } from './view.ts';

const ofWorkspace = '/api/v2/workspaces/:workspace_id/vars';
const one = `${ofWorkspace}/:variable_id` as const;
/** Addresses of old clients, without the workspace. */
const legacy = '/api/v2/vars';

const needs = { read: { workspace: 'read-variables' }, write: { workspace: 'write-variables' } } as const;
const body = document({ type: 'vars', attributes: variableFields });
const page = pagedIfAsked;

/** Variables of workspaces. */
export const variableRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...rowsOfWorkspace(parts),
  ...rowsOfVariable(parts),
  ...legacyRows(parts),
];

const rowsOfWorkspace = (parts: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: ofWorkspace,
    summary: 'List the variables of a workspace',
    needs: needs.read,
    query: { page },
    replies: { 200: ['vars'] },
    run: ({ found, query }) => list(parts, found, query.page),
  }),
  operation({
    method: 'POST',
    path: ofWorkspace,
    summary: 'Create a variable',
    needs: needs.write,
    body,
    replies: { 201: 'vars' },
    run: ({ found, body }) => create(parts, found, body.attributes),
  }),
  operation({
    method: 'GET',
    path: '/api/v2/workspaces/:workspace_id/all-vars',
    summary: 'List the variables of a workspace and of its variable sets',
    needs: needs.read,
    query: { page },
    replies: { 200: ['vars'] },
    run: async ({ found, query }) =>
      listedVariables(parts.store, query.page, await effectiveVariables(parts.store, found.workspace)),
  }),
];

const rowsOfVariable = (parts: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: one,
    summary: 'Read a variable',
    needs: needs.read,
    replies: { 200: 'vars' },
    run: async ({ found, parameters }) => {
      const { store } = parts;
      return { data: variableOf(store, await readVariable(store, ownerOf(found), parameters.variable_id)) };
    },
  }),
  // Old clients use the address without the workspace.
  ...([one, `${legacy}/:variable_id`] as const).flatMap((path) => [
    operation({
      method: 'PATCH',
      path,
      summary: `Update a variable${path === one ? '' : ' by its id'}`,
      needs: needs.write,
      body,
      replies: { 200: 'vars' },
      run: async ({ found, parameters: { variable_id: id }, body }) => {
        const { store } = parts;
        return { data: variableOf(store, await updateVariable(store, ownerOf(found), id, body.attributes)) };
      },
    }),
    operation({
      method: 'DELETE',
      path,
      summary: `Delete a variable${path === one ? '' : ' by its id'}`,
      needs: needs.write,
      replies: { 204: null },
      run: async ({ found, parameters }) => {
        await deleteVariable(parts.store, ownerOf(found), parameters.variable_id);
        return undefined;
      },
    }),
  ]),
];

const legacyRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: legacy,
    summary: 'List the variables of a workspace by its name',
    needs: needs.read,
    query: { page, workspace: workspaceFilters },
    named: ({ query }) => query.workspace,
    replies: { 200: ['vars'] },
    run: ({ found, query }) => list(parts, found, query.page),
  }),
  operation({
    method: 'POST',
    path: legacy,
    summary: 'Create a variable of the workspace in the document',
    needs: needs.write,
    body: document({ type: 'vars', attributes: variableFields, relationships: { workspace: 'workspaces' } }),
    named: ({ body }) => workspaceIn(body),
    replies: { 201: 'vars' },
    run: ({ found, body }) => create(parts, found, body.attributes),
  }),
];

const ownerOf = ({ workspace }: FoundWorkspace) => ({ workspaceId: workspace.id });

const list = async (parts: WorkspaceParts, found: FoundWorkspace, page: Page | undefined): Promise<DocumentReply> =>
  listedVariables(parts.store, page, await listVariables(parts.store, ownerOf(found)));

async function create({ store }: WorkspaceParts, found: FoundWorkspace, sent: VariableChange): Promise<DocumentReply> {
  return { status: 201, data: variableOf(store, await createVariable(store, ownerOf(found), sent)) };
}
