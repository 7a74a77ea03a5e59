import type { ApiCall, ApiReply, ApiRow, Method } from '../../../../path/jsonapi/row.ts';
import { isSiteAdmin } from '../../../access/standing.ts';
import { mustHave } from '../../../access/workspace.ts';
import type { WorkspaceParts } from '../../../contract.ts';
import { adminDocument, listUsers } from './read.ts';
import { listFeatureSets, showSubscription } from './subscription.ts';
import { createUser, removeUser, setFlag, updateUser } from './write.ts';

const all = '/api/v2/admin/users';
const one = `${all}/:user_id`;

/** For administrators of the site alone; for everybody else there is nothing. */
export const adminRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  row('GET', all, 'All users', (call) => listUsers(parts, call)),
  row('POST', all, 'Make a user', (call) => createUser(parts, call)),
  row('GET', one, 'A user as administrators see it', (call) =>
    adminDocument(parts.store, call.parameters['user_id'] ?? ''),
  ),
  row('PATCH', one, 'Change a user', (call) => updateUser(parts, call)),
  row('DELETE', one, 'Remove a user', (call) => removeUser(parts, call)),
  row('POST', `${one}/actions/suspend`, 'End what a user may do', (call) => setFlag(parts, call, { suspended: true })),
  row('POST', `${one}/actions/unsuspend`, 'Let a user in again', (call) => setFlag(parts, call, { suspended: false })),
  row('POST', `${one}/actions/grant_admin`, 'Make a user an administrator of the site', (call) =>
    setFlag(parts, call, { site_admin: true }),
  ),
  row('POST', `${one}/actions/revoke_admin`, 'Make a user an ordinary one', (call) =>
    setFlag(parts, call, { site_admin: false }),
  ),
  row('GET', '/api/v2/admin/feature-sets', 'What organizations may use', async () => listFeatureSets()),
  row('POST', '/api/v2/admin/organizations/:organization_name/subscription', 'What an organization has', (call) =>
    showSubscription(parts, call),
  ),
];

const row = (
  method: Method,
  path: string,
  summary: string,
  run: (call: ApiCall) => Promise<ApiReply | undefined>,
): ApiRow => ({
  ...{ method, path, summary },
  run: async (call) => {
    mustHave(isSiteAdmin(call.caller));
    return run(call);
  },
});
