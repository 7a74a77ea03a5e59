import { expect, test } from 'vitest';
import { documentOf, identifiers } from '../support/documents.ts';
import { workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();
const create = (organization: string, attributes: object, token?: string, relationships = {}) =>
  ground.call(
    'POST',
    `/organizations/${organization}/projects`,
    documentOf('projects', attributes, relationships),
    token,
  );

test('a project has the same document in every reply', async () => {
  const { name } = await ground.organization();
  const tags = [{ type: 'tag-bindings', attributes: { key: 'env', value: 'prod' } }];
  const made = await create(name, { name: 'Web site', description: 'pages' }, undefined, { 'tag-bindings': tags });
  expect(made.status).toBe(201);
  expect(made.item).toMatchObject({
    type: 'projects',
    attributes: {
      name: 'Web site',
      description: 'pages',
      'workspace-count': 0,
      'default-execution-mode': 'remote',
      'setting-overwrites': { 'default-execution-mode': false, 'default-agent-pool': false },
      permissions: { 'can-update': true, 'can-create-workspace': true },
    },
    relationships: { organization: { data: { id: name, type: 'organizations' } } },
  });
  expect((await ground.call('GET', `/projects/${made.item.id}`)).item).toEqual(made.item);
  const listed = await ground.call('GET', `/organizations/${name}/projects?filter%5Bnames%5D=web%20SITE`);
  expect(listed.items).toEqual([made.item]);
  const all = await ground.call('GET', `/organizations/${name}/projects?sort=-name`);
  expect(all.items.map(({ attributes }) => attributes['name'])).toEqual(['Web site', 'Default Project']);
  expect((await ground.call('GET', `/organizations/${name}/projects?q=eb`)).items).toHaveLength(1);
  const tagged = async (...pairs: readonly (readonly [string, string])[]) => {
    const query = pairs.map(
      ([key, value], at) => `filter[tagged][${at}][key]=${key}&filter[tagged][${at}][value]=${value}`,
    );
    return (await ground.call('GET', `/organizations/${name}/projects?${query.join('&')}`)).items.length;
  };
  expect(await Promise.all([tagged(['env', '']), tagged(['env', 'prod']), tagged(['env', 'test'])])).toEqual([1, 1, 0]);
  expect(await tagged(['env', 'prod'], ['tier', ''])).toBe(0);
  expect((await ground.call('GET', `/organizations/${name}/projects?sort=age`)).status).toBe(400);
});

test('its effective tags are included on request', async () => {
  const { name } = await ground.organization();
  const bindings = ['env', 'tier'].map((key) => ({ type: 'tag-bindings', attributes: { key, value: 'x' } }));
  const { item } = await create(name, { name: 'tagged' }, undefined, { 'tag-bindings': bindings });
  const include = 'include=effective_tag_bindings';
  const shown = await ground.call('GET', `/projects/${item.id}?${include}`);
  const keys = (shown.body?.included ?? []).map(({ id, type, attributes }) => [type, attributes['key'], id]);
  expect(keys.map(([type, key]) => [type, key])).toEqual([
    ['effective-tag-bindings', 'env'],
    ['effective-tag-bindings', 'tier'],
  ]);
  const linked = keys.map(([, , id]) => ({ id, type: 'effective-tag-bindings' }));
  expect(shown.item.relationships['effective-tag-bindings']?.data).toEqual(linked);
  const listed = await ground.call('GET', `/organizations/${name}/projects?${include}`);
  expect(listed.body?.included).toEqual(shown.body?.included);
  expect(listed.items).toContainEqual(shown.item);
  expect((await ground.call('GET', `/projects/${item.id}?include=owners`)).status).toBe(400);
});

test('an update keeps what was not sent; an execution mode can be reset to the default', async () => {
  const { name } = await ground.organization();
  const { item } = await create(name, { name: 'own', 'default-execution-mode': 'local' });
  const change = (attributes: object) =>
    ground.call('PATCH', `/projects/${item.id}`, documentOf('projects', attributes));
  expect(item.attributes['setting-overwrites']).toEqual({ 'default-execution-mode': true, 'default-agent-pool': true });
  const described = await change({ description: 'x', auto_destroy_activity_duration: '14d' });
  expect(described.item.attributes).toMatchObject({
    'default-execution-mode': 'local',
    description: 'x',
    'auto-destroy-activity-duration': '14d',
  });
  const inherited = await change({
    'default-execution-mode': 'local',
    'setting-overwrites': { 'default-execution-mode': false, 'default-agent-pool': false },
  });
  expect(inherited.item.attributes['default-execution-mode']).toBe('remote');
  expect((await change({ description: null, 'auto-destroy-activity-duration': null })).item.attributes).toMatchObject({
    description: null,
    'auto-destroy-activity-duration': null,
  });
  for (const bad of [{ name: '' }, { name: 'a/b' }, { name: 'ab' }, { 'auto-destroy-activity-duration': '0d' }])
    expect((await change(bad)).status, JSON.stringify(bad)).toBe(422);
  expect((await change({ 'default-execution-mode': 'agent' })).status).toBe(422);
  const pooled = await change({ 'default-execution-mode': 'local', 'default-agent-pool-id': 'apool-x' });
  expect(pooled.errors[0]?.detail).toContain("must not be specified unless using 'agent' execution mode");
  expect((await change({ 'default-execution-mode': 'local', 'default-agent-pool-id': '' })).status).toBe(200);
  expect((await create(name, { name: 'OWN' })).errors[0]?.detail).toBe('Name has already been taken');
});

test('the default project and a project with workspaces cannot be deleted', async () => {
  const { id, name, projectId } = await ground.organization();
  expect((await ground.call('DELETE', `/projects/${projectId}`)).status).toBe(403);
  const { item } = await create(name, { name: 'full' });
  const workspace = await ground.workspace(id, item.id);
  expect((await ground.call('DELETE', `/projects/${item.id}`)).status).toBe(422);
  const move = await ground.call(
    'POST',
    `/projects/${projectId}/relationships/workspaces`,
    identifiers('workspaces', workspace.id),
  );
  expect(move.status).toBe(204);
  expect((await ground.call('DELETE', `/projects/${item.id}`)).status).toBe(204);
  expect((await ground.call('GET', `/projects/${item.id}`)).status).toBe(404);
});

test('rights to read and update a project and to move workspaces', async () => {
  const { id, name, projectId } = await ground.organization();
  const other = await ground.project(id);
  const workspace = await ground.workspace(id, other);
  const [manager, inside, reader, outsider] = await Promise.all([
    ground.team(id, { flags: ['manage-projects'] }),
    ground.team(id),
    ground.team(id, { flags: ['read-projects'] }),
    ground.team(id),
  ]);
  await ground.grant(inside.id, { workspace: workspace.id }, 'admin');
  const show = async ({ token }: { token: string }) =>
    (await ground.call('GET', `/projects/${other}`, undefined, token)).status;
  expect(await Promise.all([manager, inside, reader, outsider].map(show))).toEqual([200, 200, 200, 404]);
  const change = async ({ token }: { token: string }) =>
    (await ground.call('PATCH', `/projects/${other}`, documentOf('projects', { description: 'y' }), token)).status;
  expect(await Promise.all([manager, inside, reader, outsider].map(change))).toEqual([200, 404, 404, 404]);
  const made = async ({ token }: { token: string }) =>
    (await create(name, { name: `made by ${token.slice(0, 4)}` }, token)).status;
  expect(await Promise.all([manager, inside, reader, outsider].map(made))).toEqual([201, 404, 404, 404]);
  const body = identifiers('workspaces', workspace.id);
  const move = async ({ token }: { token: string }, to: string, what = body) =>
    (await ground.call('POST', `/projects/${to}/relationships/workspaces`, what, token)).status;
  await ground.grant(inside.id, { project: projectId }, 'admin');
  expect(await move(outsider, projectId)).toBe(404);
  expect(await move(reader, projectId)).toBe(403);
  expect(await move(inside, projectId)).toBe(403);
  const leaver = await ground.team(id);
  for (const [project, access] of [
    [other, 'admin'],
    [projectId, 'maintain'],
  ] as const) {
    const related = { team: { type: 'teams', id: leaver.id }, project: { type: 'projects', id: project } };
    await ground.call('POST', '/team-projects', documentOf('team-projects', { access }, related));
  }
  expect(await move(leaver, projectId)).toBe(403);
  expect(await move(manager, projectId, identifiers('workspaces', workspace.id, 'ws-none'))).toBe(404);
  expect(await move(manager, projectId)).toBe(204);
  const listed = await ground.call('GET', `/organizations/${name}/projects`, undefined, inside.token);
  expect(listed.items.map((item) => item.id)).toEqual([projectId]);
});

test.each([
  [{ 'auto-apply': true }, 'Setting overwrites may have default-execution-mode and default-agent-pool only'],
  [
    { 'default-execution-mode': true },
    'Default execution mode must be specified when setting-overwrites.default-execution-mode is true',
  ],
  [
    { 'default-execution-mode': true, 'default-agent-pool': false },
    'If default-agent-pool and default-execution-mode are both included in setting-overwrites, their values must be the same.',
  ],
])('setting-overwrites of %o are invalid for a project', async (overwrites, detail) => {
  const { name } = await ground.organization();
  const body = documentOf('projects', { name: 'a project', 'setting-overwrites': overwrites });
  const { status, errors } = await ground.call('POST', `/organizations/${name}/projects`, body);
  expect([status, errors.map((error) => error.detail)]).toEqual([422, [detail]]);
});
