import { sql } from 'kysely';
import type { namedLevels, OrganizationFlag } from '#workspaces/access/levels.ts';
import { newId } from '#workspaces/frame/ids.ts';
import type { WorkspaceGround } from '../support/ground.ts';

/** An organization with two projects and a workspace in the first one. */
export interface Place {
  readonly organization: { readonly id: string; readonly name: string; readonly projectId: string };
  readonly otherProjectId: string;
  readonly workspace: { readonly id: string; readonly name: string };
}

export async function newPlace(ground: WorkspaceGround): Promise<Place> {
  const organization = await ground.organization();
  const otherProjectId = await ground.project(organization.id);
  return { organization, otherProjectId, workspace: await ground.workspace(organization.id, organization.projectId) };
}

/** Creates a caller of one kind in a place and returns its token. */
export type Caller = (ground: WorkspaceGround, place: Place) => Promise<string>;

/** A caller whose team has these rights in the whole organization. */
const withFlag =
  (flag: OrganizationFlag): Caller =>
  async (ground, { organization }) => {
    const user = await ground.user(organization.id);
    await ground.team(organization.id, { flags: [flag], members: [user.id] });
    return user.token;
  };

const onWorkspace =
  (access: keyof typeof namedLevels): Caller =>
  async (ground, { organization, workspace }) => {
    const user = await ground.user(organization.id);
    const team = await ground.team(organization.id, { members: [user.id] });
    await ground.grant(team.id, { workspace: workspace.id }, access);
    return user.token;
  };

interface ProjectGrant {
  readonly access: keyof typeof namedLevels;
  readonly creates?: boolean;
  readonly moves?: boolean;
  /** May delete workspaces without resources, without being an administrator. */
  readonly removes?: boolean;
  /** In both projects instead of only the first one. */
  readonly both?: boolean;
}

const onProject =
  ({ access, creates = false, moves = false, removes = false, both = false }: ProjectGrant): Caller =>
  async (ground, { organization, otherProjectId }) => {
    const team = await ground.team(organization.id);
    for (const project of both ? [organization.projectId, otherProjectId] : [organization.projectId])
      await ground.grant(team.id, { project }, access);
    const settings = JSON.stringify({ delete: removes });
    await sql`
      update ws_grants set creates = ${creates}, moves = ${moves}, settings = ${settings}::jsonb
       where team_id = ${team.id}`.execute(ground.service.store.db);
    return team.token;
  };

/** Reads runs and outputs, writes variables, and locks. */
const custom: Caller = async (ground, { organization, workspace }) => {
  const team = await ground.team(organization.id);
  await sql`
    insert into ws_grants (id, team_id, workspace_id, access, runs, variables, state_versions, locking, run_tasks, admin)
    values (${newId('tws')}, ${team.id}, ${workspace.id}, 'custom', 1, 2, 1, true, true, false)`.execute(
    ground.service.store.db,
  );
  return team.token;
};

export const callers = {
  'the administrator of the site': async (ground) => ground.service.rootToken,
  'a user of the owners': async (ground, { organization }) => {
    const user = await ground.user(organization.id);
    await ground.team(organization.id, { owners: true, members: [user.id] });
    return user.token;
  },
  'the token of the organization': (ground, { organization }) => ground.organizationToken(organization.id),
  'a user with manage-projects': withFlag('manage-projects'),
  'a user with manage-workspaces': withFlag('manage-workspaces'),
  'a user with read-workspaces': withFlag('read-workspaces'),
  'a user with read-projects': withFlag('read-projects'),
  'a user with admin on the workspace': onWorkspace('admin'),
  'a user with write on the workspace': onWorkspace('write'),
  'a user with plan on the workspace': onWorkspace('plan'),
  'a user with read on the workspace': onWorkspace('read'),
  'a team with custom access': custom,
  'a team with admin on both projects': onProject({ access: 'admin', creates: true, moves: true, both: true }),
  'a team with admin on the project': onProject({ access: 'admin', creates: true, moves: true }),
  'a team with maintain on the project': onProject({ access: 'admin', creates: true }),
  'a team with read and delete on the project': onProject({ access: 'read', removes: true }),
  'a team with write on the project': onProject({ access: 'write' }),
  'a team with read on the project': onProject({ access: 'read' }),
  'a member without teams': async (ground, { organization }) => (await ground.user(organization.id)).token,
  'a team of another organization': async (ground) => {
    const other = await ground.organization();
    return (await ground.team(other.id, { owners: true })).token;
  },
  'the token of another organization': async (ground) => ground.organizationToken((await ground.organization()).id),
} satisfies Readonly<Record<string, Caller>>;

export type CallerKind = keyof typeof callers;
export const callerKinds = Object.keys(callers) as readonly CallerKind[];
