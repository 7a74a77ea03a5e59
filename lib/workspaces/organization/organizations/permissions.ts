import type { Standing } from '../../access/standing.ts';

/** The `permissions` of an organization, by the names that clients read. */
export function organizationPermissions({ isOwner, may }: Standing) {
  return {
    'can-update': isOwner,
    'can-destroy': isOwner,
    'can-access-via-teams': true,
    'can-create-module': false,
    'can-create-team': may('manage-teams'),
    'can-create-workspace': may('manage-workspaces') || may('manage-projects'),
    'can-create-project': may('manage-projects'),
    'can-manage-users': may('manage-membership'),
    'can-manage-memberships': may('manage-membership'),
    'can-manage-sso': false,
    'can-manage-subscription': false,
    'can-update-oauth': may('manage-vcs-settings'),
    'can-update-sentinel': false,
    'can-update-ssh-keys': may('manage-vcs-settings'),
    'can-update-api-token': isOwner,
    'can-update-agent-pools': may('manage-agent-pools'),
    'can-manage-run-tasks': false,
    'can-manage-tags': may('manage-workspaces') || may('manage-projects'),
    'can-manage-varsets': may('manage-workspaces') || may('manage-projects'),
    'can-read-varsets': true,
    'can-start-trial': false,
    'can-traverse': true,
    'can-view-agent-pools': true,
  };
}
