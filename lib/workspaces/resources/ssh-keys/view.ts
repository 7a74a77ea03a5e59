import type { Resource } from '#path/jsonapi/resource.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { wsSshKeysTable } from '#store/tables/workspaces.ts';

export type SshKeyRow = RowOf<typeof sshKeyColumns>;

export const sshKeyColumns = pick(wsSshKeysTable, 'id', 'organization_id', 'name');

/** The document of an SSH key, without its value. */
export const sshKeyResource = ({ id, name }: SshKeyRow): Resource => ({
  id,
  type: 'ssh-keys',
  attributes: { name },
  links: { self: `/api/v2/ssh-keys/${id}` },
});
