import type { ApiRow } from '../../../path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { listOrganizationTags, removeOrganizationTags, tagWorkspaces } from './of-organization.ts';
import { addWorkspaceTags, listWorkspaceTags, removeWorkspaceTags } from './of-workspace.ts';

const ofWorkspace = '/api/v2/workspaces/:workspace_id/relationships/tags';
const ofOrganization = '/api/v2/organizations/:organization_name/tags';

/** Flat tags: names that workspaces share in an organization (reference, workspaces 1.8). */
export const tagRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  {
    method: 'GET',
    path: ofWorkspace,
    summary: 'Flat tags of a workspace',
    run: (call) => listWorkspaceTags(parts, call),
  },
  {
    method: 'POST',
    path: ofWorkspace,
    summary: 'Bind flat tags to a workspace',
    run: (call) => addWorkspaceTags(parts, call),
  },
  {
    method: 'DELETE',
    path: ofWorkspace,
    summary: 'Take flat tags from a workspace',
    run: (call) => removeWorkspaceTags(parts, call),
  },
  {
    method: 'GET',
    path: ofOrganization,
    summary: 'Flat tags of an organization',
    run: (call) => listOrganizationTags(parts, call),
  },
  {
    method: 'DELETE',
    path: ofOrganization,
    summary: 'Remove flat tags from an organization',
    run: (call) => removeOrganizationTags(parts, call),
  },
  {
    method: 'POST',
    path: '/api/v2/tags/:tag_id/relationships/workspaces',
    summary: 'Bind a flat tag to workspaces',
    run: (call) => tagWorkspaces(parts, call),
  },
];
