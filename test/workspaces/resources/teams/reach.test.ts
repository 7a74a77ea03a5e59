import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { OrganizationFlag } from '#workspaces/access/levels.ts';
import { documentOf, identifiers } from '../../support/documents.ts';
import { workspaceGround } from '../../support/ground.ts';

const ground = workspaceGround();

/** A manager in its own team with some rights in the organization, and resources to grant access to. */
async function managed(flags: readonly OrganizationFlag[]) {
  const organization = await ground.organization();
  const user = await ground.user(organization.id);
  const own = await ground.team(organization.id, { flags: [...flags, 'access-secret-teams'], members: [user.id] });
  const project = await ground.project(organization.id);
  const workspace = await ground.workspace(organization.id, project);
  const places = { workspace: { workspace: workspace.id }, project: { project } } as const;
  const ask = async (method: string, path: string, body?: object) =>
    (await ground.call(method, path, body, user.token)).status;
  /** The answers of the rows that give rights through the team, and the permissions in its document. */
  const reach = async (teamId: string) => {
    const { attributes } = (await ground.call('GET', `/teams/${teamId}`, undefined, user.token)).item;
    const permissions = attributes['permissions'] as Readonly<Record<string, boolean>>;
    return {
      shown: [permissions['can-update-api-token'], permissions['can-update-membership']],
      token: await ask('POST', `/teams/${teamId}/authentication-token`),
      tokens: await ask(
        'POST',
        `/teams/${teamId}/authentication-tokens`,
        documentOf('authentication-tokens', { description: 'x' }),
      ),
      member: await ask('POST', `/teams/${teamId}/relationships/users`, identifiers('users', user.id)),
      rename: await ask('PATCH', `/teams/${teamId}`, documentOf('teams', { visibility: 'secret' })),
      invitation: await ask(
        'POST',
        `/organizations/${organization.name}/organization-memberships`,
        documentOf(
          'organization-memberships',
          { email: `${teamId}@b.test`.toLowerCase() },
          { teams: [{ type: 'teams', id: teamId }] },
        ),
      ),
    };
  };
  return { organization, user, own, places, ask, reach };
}

const all: readonly OrganizationFlag[] = ['manage-teams', 'manage-membership'];
const nothing = { shown: [false, false], token: 404, tokens: 404, member: 404, rename: 404, invitation: 422 };
const everything = { shown: [true, true], token: 201, tokens: 201, member: 204, rename: 200, invitation: 201 };

describe.each(['workspace', 'project'] as const)('through a team with access to a %s', (place) => {
  test('a manager cannot gain rights that it lacks', async () => {
    const { organization, places, reach, own } = await managed(all);
    for (const access of ['read', 'plan', 'write', 'admin'] as const) {
      const team = await ground.team(organization.id);
      await ground.grant(team.id, places[place], access);
      expect(await reach(team.id)).toEqual(nothing);
    }
    await ground.grant(own.id, places[place], 'write');
    for (const [access, expected] of [
      ['write', everything],
      ['plan', everything],
      ['admin', nothing],
    ] as const) {
      const team = await ground.team(organization.id);
      await ground.grant(team.id, places[place], access);
      expect(await reach(team.id)).toEqual(expected);
    }
  });

  test.each([
    ['read-workspaces', 'read', everything],
    ['read-workspaces', 'write', nothing],
    ['manage-workspaces', 'admin', everything],
    ['manage-projects', 'admin', everything],
    ['manage-organization-access', 'admin', everything],
  ] as const)('a manager with %s has %s there itself or not', async (flag, access, expected) => {
    const { organization, places, reach } = await managed([...all, flag]);
    const team = await ground.team(organization.id);
    await ground.grant(team.id, places[place], access);
    expect(await reach(team.id)).toEqual(expected);
  });
});

test('a manager of memberships cannot join a team with more rights', async () => {
  const { organization, places, reach } = await managed(['manage-membership']);
  const [weak, strong] = [await ground.team(organization.id), await ground.team(organization.id)];
  await ground.grant(strong.id, places.workspace, 'admin');
  expect(await reach(strong.id)).toEqual(nothing);
  expect(await reach(weak.id)).toMatchObject({ member: 204, invitation: 201, token: 404 });
});

test('rights on a workspace do not cover its project, and a single additional level is detected', async () => {
  const { organization, places, reach, own } = await managed(all);
  await ground.grant(own.id, places.workspace, 'admin');
  const onProject = await ground.team(organization.id);
  await ground.grant(onProject.id, places.project, 'read');
  expect(await reach(onProject.id)).toEqual(nothing);
  const inside = await ground.team(organization.id);
  await ground.grant(inside.id, places.workspace, 'admin');
  expect(await reach(inside.id)).toEqual(everything);
  await ground.grant(own.id, places.project, 'write');
  const set = (assignment: ReturnType<typeof sql>) =>
    sql`update ws_grants set ${assignment} where team_id = ${onProject.id}`.execute(ground.service.store.db);
  for (const more of [
    sql`creates = true`,
    sql`creates = false, moves = true`,
    sql`moves = false, project_admin = true`,
    sql`project_admin = false, settings = '{"project-settings":"update"}'`,
    sql`settings = '{"project-teams":"manage"}'`,
    sql`settings = '{"delete":true}'`,
    sql`settings = '{"variable-sets":"write"}'`,
    sql`settings = '{}', run_tasks = true`,
  ]) {
    await set(more);
    expect(await reach(onProject.id)).toEqual(nothing);
  }
  await set(sql`run_tasks = false, settings = '{}'`);
  expect(await reach(onProject.id)).toEqual(everything);
});

test('managers of the teams of a project can only grant rights that they have, to any team', async () => {
  const { organization, places, own, user, ask } = await managed([]);
  const { project } = places.project;
  const other = await ground.team(organization.id);
  await sql`
    insert into ws_grants (id, team_id, project_id, access, runs, variables, state_versions, locking, run_tasks, admin, settings)
    values (${`tprj-${own.id}`}, ${own.id}, ${project}, 'custom', 1, 0, 0, false, false, false, '{"project-teams":"manage"}')`.execute(
    ground.service.store.db,
  );
  const grant = (access: object) =>
    ask(
      'POST',
      '/team-projects',
      documentOf('team-projects', access, {
        project: { type: 'projects', id: project },
        team: { type: 'teams', id: other.id },
      }),
    );
  for (const access of ['read', 'write', 'maintain', 'admin']) expect(await grant({ access })).toBe(403);
  expect(await grant({ access: 'custom', 'workspace-access': { runs: 'apply' } })).toBe(403);
  expect(await ask('PATCH', `/team-projects/tprj-${own.id}`, documentOf('team-projects', { access: 'admin' }))).toBe(
    403,
  );
  expect(await grant({ access: 'custom', 'workspace-access': { runs: 'read' } })).toBe(201);
  const mine = await ground.call('GET', `/team-projects/tprj-${own.id}`, undefined, user.token);
  expect(mine.item.attributes['access']).toBe('custom');
});
