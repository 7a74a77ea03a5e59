import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import { standingIn } from '../../access/standing.ts';
import type { WorkspaceParts } from '../../contract.ts';

/** What an organization may use: all that there is. Clients ask before they use it. */
export async function showEntitlements({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const { organization } = await standingIn(store, call.caller, call.parameters['organization_name'] ?? '');
  return {
    data: {
      ...{ id: organization.id, type: 'entitlement-sets', attributes: entitlements },
      links: { self: `/api/v2/entitlement-sets/${organization.id}` },
    },
  };
}

const entitlements = {
  agents: true,
  'audit-logging': false,
  'configuration-designer': false,
  'cost-estimation': false,
  'global-run-tasks': false,
  'module-tests-generation': false,
  operations: true,
  'policy-enforcement': false,
  'policy-limit': 0,
  'policy-mandatory-enforcement-limit': 0,
  'policy-set-limit': 0,
  'private-module-registry': false,
  'private-policy-agents': false,
  'private-vcs': true,
  'run-task-limit': 0,
  'run-task-mandatory-enforcement-limit': 0,
  'run-task-workspace-limit': 0,
  'run-tasks': false,
  'self-serve-billing': false,
  sentinel: false,
  sso: false,
  'state-storage': true,
  teams: true,
  'usage-reporting': false,
  'user-limit': null,
  'vcs-integrations': true,
  'vcs-workspace-limit': null,
  'versioned-policy-set-limit': 0,
};
