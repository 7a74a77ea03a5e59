import { document } from '#path/jsonapi/input.ts';
import { paged } from '#path/jsonapi/query.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { createKey, listKeys, removeKey, reservedTagKeyFields, type, updateKey } from './keys.ts';

const ofOrganization = '/api/v2/organizations/:organization_name/reserved-tag-keys';
/** The API documentation names the first path, but clients use the second. */
const paths = ['/api/v2/reserved-tag-keys/:reserved_tag_key_id', '/api/v2/reserved-tags/:reserved_tag_key_id'] as const;

const body = document({ type, attributes: reservedTagKeyFields });

/**
 * Tag keys that an organization reserves. A reserved key can forbid workspaces to override the value set by their project. Members
 * may read them; callers who manage all workspaces or projects of the organization may change them.
 */
export const reservedTagKeyRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: ofOrganization,
    summary: 'List the reserved tag keys of an organization',
    needs: { organization: 'member' },
    query: { page: paged() },
    replies: { 200: [type] },
    run: ({ found, query }) => listKeys(store, found, query.page),
  }),
  operation({
    method: 'POST',
    path: ofOrganization,
    summary: 'Reserve a tag key',
    needs: { organization: 'manage-workspaces-and-projects' },
    body,
    replies: { 201: type },
    run: ({ found, body }) => createKey(store, found, body.attributes),
  }),
  ...paths.flatMap((path) => [
    operation({
      method: 'PATCH',
      path,
      summary: 'Update a reserved tag key',
      needs: { organization: 'manage-workspaces-and-projects' },
      body,
      replies: { 200: type },
      run: ({ found, parameters, body }) => updateKey(store, found, parameters.reserved_tag_key_id, body.attributes),
    }),
    operation({
      method: 'DELETE',
      path,
      summary: 'Delete a reserved tag key',
      needs: { organization: 'manage-workspaces-and-projects' },
      replies: { 204: null },
      run: ({ parameters }) => removeKey(store, parameters.reserved_tag_key_id),
    }),
  ]),
];
