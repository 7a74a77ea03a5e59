/** What a team may do in its whole organization, by the names of the API (reference, workspaces 2 "teams"). */
export const organizationFlags = [
  'manage-workspaces',
  'manage-projects',
  'read-workspaces',
  'read-projects',
  'manage-policies',
  'manage-policy-overrides',
  'delegate-policy-overrides',
  'manage-vcs-settings',
  'manage-providers',
  'manage-modules',
  'manage-run-tasks',
  'manage-membership',
  'manage-teams',
  'manage-organization-access',
  'access-secret-teams',
  'manage-agent-pools',
] as const;

export type OrganizationFlag = (typeof organizationFlags)[number];
