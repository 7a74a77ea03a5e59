import type { Resource } from '../../../path/jsonapi/resource.ts';

export interface SshKeyRow {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
}

/** An SSH key without its value, which no answer has. */
export const sshKeyResource = ({ id, name }: SshKeyRow): Resource => ({
  ...{ id, type: 'ssh-keys' },
  attributes: { name },
  links: { self: `/api/v2/ssh-keys/${id}` },
});
