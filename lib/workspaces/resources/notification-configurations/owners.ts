const name = 'notification-configurations';

/** The kinds of owners of notification configurations. The owner determines which runs cause messages. */
export const ownerKinds = [
  {
    column: 'workspace_id',
    type: 'workspaces',
    noun: 'a workspace',
    path: `/api/v2/workspaces/:workspace_id/${name}`,
    needs: { workspace: 'admin' },
  },
  {
    column: 'project_id',
    type: 'projects',
    noun: 'a project',
    path: `/api/v2/projects/:project_id/${name}`,
    needs: { project: 'update' },
  },
  {
    column: 'team_id',
    type: 'teams',
    noun: 'a team',
    path: `/api/v2/teams/:team_id/${name}`,
    needs: { team: 'manage' },
  },
] as const;

export type OwnerKind = (typeof ownerKinds)[number];
