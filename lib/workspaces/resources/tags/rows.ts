import { identifiers, resources } from '#path/jsonapi/input.ts';
import { paged, textQuery } from '#path/jsonapi/query.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { tagsNamedIn } from './named.ts';
import { listOrganizationTags, removeOrganizationTags, tagWorkspaces } from './of-organization.ts';
import { addWorkspaceTags, listWorkspaceTags, removeWorkspaceTags } from './of-workspace.ts';
import { tagFields } from './write.ts';

const ofWorkspace = '/api/v2/workspaces/:workspace_id/relationships/tags';
const ofOrganization = '/api/v2/organizations/:organization_name/tags';
/** Tags by id, or by name in their attributes. */
const namedTags = resources('tags', tagFields, tagsNamedIn);

/** Flat tags: names that workspaces share in an organization. */
export const tagRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: ofWorkspace,
    summary: 'List the flat tags of a workspace',
    needs: { workspace: 'read' },
    query: { page: paged(), name: textQuery('name', 'A part of the name') },
    replies: { 200: ['tags'] },
    run: ({ found, query }) => listWorkspaceTags(store, found, query),
  }),
  operation({
    method: 'POST',
    path: ofWorkspace,
    summary: 'Add flat tags to a workspace',
    needs: { workspace: 'admin' },
    body: namedTags,
    replies: { 204: null },
    run: ({ found, body }) => addWorkspaceTags(store, found.workspace, body),
  }),
  operation({
    method: 'DELETE',
    path: ofWorkspace,
    summary: 'Remove flat tags from a workspace',
    needs: { workspace: 'admin' },
    body: namedTags,
    replies: { 204: null },
    run: ({ found, body }) => removeWorkspaceTags(store, found.workspace, body),
  }),
  operation({
    method: 'GET',
    path: ofOrganization,
    summary: 'List the flat tags of an organization',
    needs: { organization: 'member' },
    query: {
      page: paged(),
      q: textQuery('q', 'A part of the name'),
      without: textQuery('filter[exclude][taggable][id]', 'Leave out the tags of this workspace'),
    },
    replies: { 200: ['tags'] },
    run: ({ found, query }) => listOrganizationTags(store, found, query),
  }),
  operation({
    method: 'DELETE',
    path: ofOrganization,
    summary: 'Remove flat tags from an organization and all its workspaces',
    needs: { organization: 'manage-workspaces-and-projects' },
    body: identifiers('tags'),
    replies: { 204: null },
    run: ({ found, body }) => removeOrganizationTags(store, found, body),
  }),
  operation({
    method: 'POST',
    path: '/api/v2/tags/:tag_id/relationships/workspaces',
    summary: 'Add a flat tag to workspaces',
    needs: { organization: 'member' },
    body: identifiers('workspaces'),
    replies: { 204: null, 404: 'The caller is not an administrator of each of the workspaces' },
    run: ({ found, parameters, body }) => tagWorkspaces(store, found, parameters.tag_id, body),
  }),
];
