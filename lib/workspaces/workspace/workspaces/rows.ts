import type { ApiCall, ApiReply, ApiRow, Method } from '../../../path/jsonapi/row.ts';
import { findWorkspace, type WorkspaceName } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { createWorkspace } from './create.ts';
import { workspaceWithIncludes } from './document.ts';
import { includesOf } from './include/includes.ts';
import { listWorkspaces } from './list/list.ts';
import { removeByForce, removeSafely } from './remove.ts';
import { updateWorkspace } from './update.ts';

const ofOrganization = '/api/v2/organizations/:organization_name/workspaces';

/** Workspaces (specification 002, sections 4.1 to 4.4). */
export const workspaceRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  {
    method: 'GET',
    path: ofOrganization,
    summary: 'The workspaces of an organization',
    run: (call) => listWorkspaces(parts, call),
  },
  {
    method: 'POST',
    path: ofOrganization,
    summary: 'Make a workspace',
    run: (call) => createWorkspace(parts, call),
  },
  ...byIdAndName('GET', '', 'A workspace', (call, by) => showWorkspace(parts, call, by)),
  ...byIdAndName('PATCH', '', 'Change a workspace', (call, by) => updateWorkspace(parts, call, by)),
  ...byIdAndName('DELETE', '', 'Remove a workspace with what it manages', (call, by) => removeByForce(parts, call, by)),
  ...byIdAndName('POST', '/actions/safe-delete', 'Remove a workspace that manages nothing', (call, by) =>
    removeSafely(parts, call, by),
  ),
];

type Run = (call: ApiCall, by: WorkspaceName) => Promise<ApiReply | undefined>;

/** An operation on one workspace, which requests name in two ways. */
function byIdAndName(method: Method, suffix: string, summary: string, run: Run): readonly ApiRow[] {
  return [
    {
      ...{ method, path: `/api/v2/workspaces/:workspace_id${suffix}`, summary },
      run: (call) => run(call, { workspace_id: call.parameters['workspace_id'] ?? '' }),
    },
    {
      ...{ method, path: `${ofOrganization}/:name${suffix}`, summary: `${summary}, by its name` },
      run: (call) => {
        const { organization_name: organization = '', name = '' } = call.parameters;
        return run(call, { organization, name });
      },
    },
  ];
}

async function showWorkspace(parts: WorkspaceParts, call: ApiCall, by: WorkspaceName): Promise<ApiReply> {
  includesOf(call.query);
  return workspaceWithIncludes(parts, await findWorkspace(parts.store, call.caller, by), call);
}
