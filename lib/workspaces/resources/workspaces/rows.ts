import { paged, readBy } from '#path/jsonapi/query.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { includesOf } from '../workspace-includes/includes.ts';
import { orderOf } from '../workspace-search/order.ts';
import { listQueryOf, searchParameters } from '../workspace-search/query.ts';
import { createBody, updateBody } from './bodies.ts';
import { createWorkspace } from './create.ts';
import { workspaceWithIncludes } from './document.ts';
import { listWorkspaces } from './list.ts';
import { removeByForce, removeSafely } from './remove.ts';
import { updateWorkspace } from './update.ts';

const ofOrganization = '/api/v2/organizations/:organization_name/workspaces';
const byId = { path: '/api/v2/workspaces/:workspace_id', suffix: '' } as const;
const byName = { path: `${ofOrganization}/:name`, suffix: ', by its name' } as const;
const include = readBy(['include'], includesOf);

/** Workspaces. Requests name a workspace by its id, or by its organization and name. */
export const workspaceRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...listRows(parts),
  ...[byId, byName].flatMap((by) => [...changeRows(parts, by), ...removalRows(parts, by)]),
];

const listRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: ofOrganization,
    summary: 'List the workspaces of an organization',
    needs: { organization: 'member' },
    query: {
      page: paged(),
      order: readBy(['sort'], orderOf),
      narrowed: readBy(searchParameters, listQueryOf),
      include,
    },
    replies: { 200: ['workspaces'] },
    run: ({ found, query, origin }) => listWorkspaces(parts, found, query, origin),
  }),
  operation({
    method: 'POST',
    path: ofOrganization,
    summary: 'Create a workspace',
    needs: { organization: 'create-workspaces' },
    body: createBody,
    replies: { 201: 'workspaces' },
    run: ({ found, body }) => createWorkspace(parts, found, body),
  }),
];

type By = typeof byId | typeof byName;

const changeRows = (parts: WorkspaceParts, { path, suffix }: By): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path,
    summary: `Read a workspace${suffix}`,
    needs: { workspace: 'read' },
    query: { include },
    replies: { 200: 'workspaces' },
    run: ({ found, query, origin }) => workspaceWithIncludes(parts, found, { asked: query.include, origin }),
  }),
  operation({
    method: 'PATCH',
    path,
    summary: `Update a workspace${suffix}`,
    needs: { workspace: 'admin' },
    body: updateBody,
    replies: { 200: 'workspaces' },
    run: ({ found, body }) => updateWorkspace(parts, found, body),
  }),
];

const removalRows = ({ store }: WorkspaceParts, { path, suffix }: By): readonly ApiRow[] => [
  operation({
    method: 'DELETE',
    path,
    summary: `Delete a workspace with all that it manages${suffix}`,
    needs: { workspace: 'force-remove' },
    replies: { 204: null },
    run: ({ found }) => removeByForce(store, found.workspace),
  }),
  operation({
    method: 'POST',
    path: `${path}/actions/safe-delete`,
    summary: `Delete a workspace that manages no resources${suffix}`,
    needs: { workspace: 'remove' },
    replies: { 204: null, 409: 'The workspace is locked, or manages resources' },
    run: ({ found }) => removeSafely(store, found.workspace),
  }),
];
