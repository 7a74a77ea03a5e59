import { sql } from 'kysely';
import { newId } from '#workspaces/frame/ids.ts';
import type { WorkspaceGround } from '../support/ground.ts';

/** One resource of each kind, so that rows find what their paths name. */
export interface Seed {
  readonly organization: { readonly id: string; readonly name: string };
  /** The token of a member of the organization. */
  readonly token: string;
  /** The value for a parameter of a row's path. @throws Error for an unknown parameter */
  valueFor(path: string, parameter: string): string;
}

export async function seedOf(ground: WorkspaceGround): Promise<Seed> {
  const organization = await ground.organization();
  const { id, name, projectId } = organization;
  const [user, team, workspace, project] = await Promise.all([
    ground.user(id),
    ground.team(id),
    ground.workspace(id, projectId),
    ground.project(id),
  ]);
  await ground.grant(team.id, { workspace: workspace.id }, 'read');
  await ground.grant(team.id, { project }, 'write');
  const idOf = async (query: ReturnType<typeof sql<{ id: string }>>) =>
    (await query.execute(ground.service.store.db)).rows[0]?.id;
  const membership = await idOf(sql`select id from ws_memberships where user_id = ${user.id}`);
  const token = await idOf(sql`select id from ws_tokens where user_id = ${user.id}`);
  const onWorkspace = await idOf(sql`select id from ws_grants where workspace_id = ${workspace.id}`);
  const onProject = await idOf(sql`select id from ws_grants where project_id = ${project}`);
  const values: Readonly<Record<string, string | undefined>> = {
    organization_name: name,
    name: workspace.name,
    workspace_id: workspace.id,
    project_id: project,
    team_id: team.id,
    user_id: user.id,
    membership_id: membership,
    token_id: token,
  };
  return {
    organization,
    token: user.token,
    valueFor(path, parameter) {
      if (parameter === 'grant_id') return (path.includes('team-projects') ? onProject : onWorkspace) ?? '';
      // The remaining parameters get ids that do not exist.
      return values[parameter] ?? unknownId;
    },
  };
}

const unknownId = newId('none');
