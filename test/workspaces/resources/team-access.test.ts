import { expect, test } from 'vitest';
import { documentOf } from '../support/documents.ts';
import { workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();

async function place() {
  const { id, projectId } = await ground.organization();
  const [workspace, team, owner] = await Promise.all([
    ground.workspace(id, projectId),
    ground.team(id),
    ground.team(id, { owners: true }),
  ]);
  const grant = (type: 'team-workspaces' | 'team-projects', attributes: object, token = owner.token) =>
    ground.call(
      'POST',
      `/${type}`,
      documentOf(type, attributes, {
        team: { type: 'teams', id: team.id },
        [type === 'team-projects' ? 'project' : 'workspace']:
          type === 'team-projects' ? { type: 'projects', id: projectId } : { type: 'workspaces', id: workspace.id },
      }),
      token,
    );
  return { id, projectId, workspace, team, owner, grant };
}

test('a grant on a workspace has the levels of its permission set', async () => {
  const { grant, workspace, team, owner } = await place();
  const made = await grant('team-workspaces', { access: 'write' });
  expect(made.status).toBe(201);
  expect(made.item).toMatchObject({
    type: 'team-workspaces',
    attributes: {
      access: 'write',
      runs: 'apply',
      variables: 'write',
      'state-versions': 'write',
      'sentinel-mocks': 'read',
      'workspace-locking': true,
      'run-tasks': false,
    },
    relationships: {
      team: { data: { id: team.id, type: 'teams' } },
      workspace: { data: { id: workspace.id, type: 'workspaces' } },
    },
  });
  const path = `/team-workspaces/${made.item.id}`;
  expect((await ground.call('GET', path, undefined, team.token)).status).toBe(200);
  const listed = await ground.call('GET', `/team-workspaces?filter%5Bworkspace%5D%5Bid%5D=${workspace.id}`);
  expect(listed.items).toEqual([made.item]);
  expect((await ground.call('GET', '/team-workspaces')).status).toBe(400);
  expect((await grant('team-workspaces', { access: 'read' })).errors[0]?.detail).toBe('Team has already been taken');
  const change = (attributes: object, token = owner.token) =>
    ground.call('PATCH', path, documentOf('team-workspaces', attributes), token);
  expect((await change({ access: 'admin' }, team.token)).status).toBe(404);
  expect((await change({ access: 'read', runs: 'apply' })).errors[0]?.detail).toBe(
    "Runs is read-only when access level is 'read'; use the 'custom' access level to set this attribute.",
  );
  const custom = await change({ access: 'custom', runs: 'plan', variables: 'none', 'workspace-locking': false });
  expect(custom.item.attributes).toMatchObject({
    access: 'custom',
    runs: 'plan',
    variables: 'none',
    'state-versions': 'write',
    'workspace-locking': false,
  });
  expect((await change({ runs: 'read' })).item.attributes).toMatchObject({ runs: 'read', 'state-versions': 'write' });
  expect((await change({ access: 'read' })).item.attributes).toMatchObject({ access: 'read', variables: 'read' });
  expect((await change({ access: 'all' })).status).toBe(422);
  expect((await change({ access: 'custom', runs: 'none' })).status).toBe(422);
  expect((await ground.call('DELETE', path, undefined, team.token)).status).toBe(404);
  expect((await ground.call('DELETE', path, undefined, owner.token)).status).toBe(204);
  expect((await ground.call('GET', path, undefined, owner.token)).status).toBe(404);
});

test('a grant on a project applies to the project and its workspaces', async () => {
  const { grant, projectId, team, owner } = await place();
  const show = async () => (await ground.call('GET', `/projects/${projectId}`, undefined, team.token)).status;
  expect(await show()).toBe(404);
  const made = await grant('team-projects', { access: 'maintain' });
  expect(made.item).toMatchObject({
    attributes: {
      access: 'maintain',
      'project-access': { settings: 'read', teams: 'none' },
      'workspace-access': { create: true, delete: true, move: false, runs: 'apply', 'run-tasks': true, locking: true },
    },
    relationships: { project: { data: { id: projectId, type: 'projects' } } },
  });
  expect(made.item.id).toMatch(/^tprj-/);
  expect(await show()).toBe(200);
  const path = `/team-projects/${made.item.id}`;
  expect((await ground.call('GET', path, undefined, team.token)).status).toBe(404);
  const change = (attributes: object) =>
    ground.call('PATCH', path, documentOf('team-projects', attributes), owner.token);
  const custom = await change({
    access: 'custom',
    'project-access': { settings: 'update', teams: 'manage' },
    'workspace-access': { create: false, 'state-versions': 'read-outputs' },
  });
  expect(custom.item.attributes).toMatchObject({
    'project-access': { settings: 'update', teams: 'manage' },
    'workspace-access': { create: false, 'state-versions': 'read-outputs', runs: 'apply' },
  });
  const own = await ground.call('GET', `/projects/${projectId}`, undefined, team.token);
  expect(own.item.attributes['permissions']).toMatchObject({
    'can-update': true,
    'can-destroy': false,
    'can-create-workspace': false,
    'can-manage-teams': true,
  });
  expect((await change({ access: 'admin', 'project-access': { settings: 'read' } })).status).toBe(422);
  expect((await change({ access: 'admin' })).item.attributes['workspace-access']).toMatchObject({ move: true });
  const listed = await ground.call(
    'GET',
    `/team-projects?filter%5Bproject%5D%5Bid%5D=${projectId}`,
    undefined,
    team.token,
  );
  expect(listed.items.map(({ id }) => id)).toEqual([made.item.id]);
  expect((await ground.call('DELETE', path, undefined, owner.token)).status).toBe(204);
  expect(await show()).toBe(404);
});

test('a team or a workspace of another organization is not found', async () => {
  const [one, other] = [await place(), await place()];
  const body = (team: string, workspace: string) =>
    documentOf(
      'team-workspaces',
      { access: 'read' },
      {
        team: { type: 'teams', id: team },
        workspace: { type: 'workspaces', id: workspace },
      },
    );
  const ask = async (team: string, workspace: string) =>
    (await ground.call('POST', '/team-workspaces', body(team, workspace), one.owner.token)).status;
  expect(await ask(other.team.id, one.workspace.id)).toBe(404);
  expect(await ask(one.team.id, other.workspace.id)).toBe(404);
  expect(await ask(one.team.id, one.workspace.id)).toBe(201);
  const none = documentOf('team-workspaces', { access: 'read' });
  expect((await ground.call('POST', '/team-workspaces', none, one.owner.token)).status).toBe(422);
});

test('of many concurrent grants one succeeds', async () => {
  const { grant } = await place();
  const all = await Promise.all(Array.from({ length: 8 }, () => grant('team-workspaces', { access: 'plan' })));
  expect(all.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(all.filter(({ status }) => status === 422)).toHaveLength(7);
});

test('a named set on a project may be sent with empty levels', async () => {
  const { grant } = await place();
  const levels = { 'project-access': {}, 'workspace-access': { runs: null } };
  const made = await grant('team-projects', { access: 'read', ...levels });
  expect(made.status).toBe(201);
  const path = `/team-projects/${made.item.id}`;
  const change = (attributes: object) => ground.call('PATCH', path, documentOf('team-projects', attributes));
  expect((await change({ access: 'maintain', ...levels })).item.attributes).toMatchObject({ access: 'maintain' });
  expect((await change({ access: 'read', 'project-access': { settings: 'update' } })).status).toBe(422);
});
