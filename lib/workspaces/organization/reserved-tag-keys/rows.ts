import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { createKey, listKeys, removeKey, updateKey } from './keys.ts';

const ofOrganization = '/api/v2/organizations/:organization_name/reserved-tag-keys';

/** Keys of tags that an organization reserves, and whether workspaces may have other values for them than their projects. */
export const reservedTagKeyRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  {
    method: 'GET',
    path: ofOrganization,
    summary: 'Reserved tag keys of an organization',
    run: (call) => listKeys(parts, call),
  },
  { method: 'POST', path: ofOrganization, summary: 'Reserve a tag key', run: (call) => createKey(parts, call) },
  // The documents of the family name one of the paths, its clients use the other.
  ...['reserved-tag-keys', 'reserved-tags'].flatMap((name) => oneOf(parts, `/api/v2/${name}/:reserved_tag_key_id`)),
];

const oneOf = (parts: WorkspaceParts, path: string): readonly ApiRow[] => [
  {
    method: 'PATCH',
    path,
    summary: 'Change a reserved tag key',
    run: (call: ApiCall): Promise<ApiReply> => updateKey(parts, call),
  },
  { method: 'DELETE', path, summary: 'Reserve a tag key no longer', run: (call) => removeKey(parts, call) },
];
