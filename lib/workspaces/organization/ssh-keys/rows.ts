import { attributesOf } from '../../../path/jsonapi/body.ts';
import { pageOf, told } from '../../../path/jsonapi/page.ts';
import type { ApiCall, ApiRow } from '../../../path/jsonapi/row.ts';
import { type Standing, standingIn } from '../../access/standing.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { assignSshKey } from './assign.ts';
import { sshKeyFields } from './fields.ts';
import { createSshKey, findSshKey, listSshKeys, removeSshKey, updateSshKey } from './store.ts';
import { sshKeyResource } from './view.ts';

const ofOrganization = '/api/v2/organizations/:organization_name/ssh-keys';
const one = '/api/v2/ssh-keys/:ssh_key_id';

/** SSH keys with which runs fetch modules. Members of the organization see their names; teams that manage VCS settings change them. */
export const sshKeyRows = (parts: WorkspaceParts): readonly ApiRow[] => {
  const { store } = parts;
  const standingFor = ({ caller, parameters }: ApiCall) =>
    standingIn(store, caller, parameters['organization_name'] ?? '');
  const find = ({ caller, parameters }: ApiCall) => findSshKey(store, caller, parameters['ssh_key_id'] ?? '');
  return [
    {
      method: 'GET',
      path: ofOrganization,
      summary: 'SSH keys of an organization',
      async run(call) {
        const page = pageOf(call.query);
        const { organization } = await standingFor(call);
        const { rows, total } = await listSshKeys(store, organization.id, page);
        return { data: rows.map(sshKeyResource), page: told(page, total) };
      },
    },
    {
      method: 'POST',
      path: ofOrganization,
      summary: 'Store an SSH key',
      async run(call) {
        const standing = await standingFor(call);
        mustManage(standing);
        const change = attributesOf(call, 'ssh-keys', sshKeyFields);
        return {
          status: 201,
          data: sshKeyResource(await withRefusals({}, () => createSshKey(store, standing.organization.id, change))),
        };
      },
    },
    {
      method: 'GET',
      path: one,
      summary: 'An SSH key',
      run: async (call) => ({ data: sshKeyResource((await find(call)).key) }),
    },
    {
      method: 'PATCH',
      path: one,
      summary: 'Change an SSH key',
      async run(call) {
        const { key, standing } = await find(call);
        mustManage(standing);
        const change = attributesOf(call, 'ssh-keys', sshKeyFields);
        return { data: sshKeyResource(await updateSshKey(store, key.id, change)) };
      },
    },
    {
      method: 'DELETE',
      path: one,
      summary: 'Remove an SSH key',
      async run(call) {
        const { key, standing } = await find(call);
        mustManage(standing);
        await removeSshKey(store, key.id);
        return undefined;
      },
    },
    {
      method: 'PATCH',
      path: '/api/v2/workspaces/:workspace_id/relationships/ssh-key',
      summary: 'Give a workspace an SSH key, or take it',
      run: (call) => assignSshKey(parts, call),
    },
  ];
};

const mustManage = ({ may }: Standing): void => mustHave(may('manage-vcs-settings'));
