import { notBlank, text } from '#path/jsonapi/fields.ts';
import { document } from '#path/jsonapi/input.ts';
import { pageInfo } from '#path/jsonapi/page.ts';
import { paged } from '#path/jsonapi/query.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { assignSshKey, sshKeyBody } from './assign.ts';
import { createSshKey, listSshKeys, readSshKey, removeSshKey, updateSshKey } from './store.ts';
import { sshKeyResource } from './view.ts';

/** Attributes of an SSH key in a request. The value is never returned. */
const sshKeyFields = {
  name: text(255).trim().min(1, notBlank),
  value: text(16_384).min(1, notBlank),
};

const ofOrganization = '/api/v2/organizations/:organization_name/ssh-keys';
const one = '/api/v2/ssh-keys/:ssh_key_id';
const body = document({ type: 'ssh-keys', attributes: sshKeyFields });

/** SSH keys that runs use to fetch modules. Members may read their names; teams with the right to manage VCS settings may change them. */
export const sshKeyRows = (parts: WorkspaceParts): readonly ApiRow[] => {
  const { store } = parts;
  return [
    operation({
      method: 'GET',
      path: ofOrganization,
      summary: 'List the SSH keys of an organization',
      needs: { organization: 'member' },
      query: { page: paged() },
      replies: { 200: ['ssh-keys'] },
      async run({ found, query: { page } }) {
        const { rows, total } = await listSshKeys(store, found.organization.id, page);
        return { data: rows.map(sshKeyResource), page: pageInfo(page, total) };
      },
    }),
    operation({
      method: 'POST',
      path: ofOrganization,
      summary: 'Create an SSH key',
      needs: { organization: 'manage-vcs-settings' },
      body,
      replies: { 201: 'ssh-keys' },
      async run({ found, body: { attributes } }) {
        const made = await withRefusals({}, () => createSshKey(store, found.organization.id, attributes));
        return { status: 201, data: sshKeyResource(made) };
      },
    }),
    operation({
      method: 'GET',
      path: one,
      summary: 'Read an SSH key',
      needs: { organization: 'member' },
      replies: { 200: 'ssh-keys' },
      run: async ({ parameters }) => ({ data: sshKeyResource(await readSshKey(store, parameters.ssh_key_id)) }),
    }),
    operation({
      method: 'PATCH',
      path: one,
      summary: 'Update an SSH key',
      needs: { organization: 'manage-vcs-settings' },
      body,
      replies: { 200: 'ssh-keys' },
      run: async ({ parameters, body: { attributes } }) => ({
        data: sshKeyResource(await updateSshKey(store, parameters.ssh_key_id, attributes)),
      }),
    }),
    operation({
      method: 'DELETE',
      path: one,
      summary: 'Delete an SSH key',
      needs: { organization: 'manage-vcs-settings' },
      replies: { 204: null },
      async run({ parameters }) {
        await removeSshKey(store, parameters.ssh_key_id);
        return undefined;
      },
    }),
    operation({
      method: 'PATCH',
      path: '/api/v2/workspaces/:workspace_id/relationships/ssh-key',
      summary: 'Assign an SSH key to a workspace, or remove it',
      needs: { workspace: 'admin' },
      body: sshKeyBody,
      replies: { 200: 'workspaces' },
      run: ({ found, body: keyId }) => assignSshKey(parts, found, keyId),
    }),
  ];
};
