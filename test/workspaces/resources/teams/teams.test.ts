import { expect, test } from 'vitest';
import { documentOf, identifiers, relatedId } from '../../support/documents.ts';
import { workspaceGround } from '../../support/ground.ts';

const ground = workspaceGround();
const create = (organization: string, attributes: object, token?: string) =>
  ground.call('POST', `/organizations/${organization}/teams`, documentOf('teams', attributes), token);
const nameOf = async (id: string) =>
  String((await ground.call('GET', `/admin/users/${id}`)).item.attributes['username']);

test('a team has the same document in every reply', async () => {
  const { name } = await ground.organization();
  const made = await create(name, {
    name: 'ops',
    visibility: 'organization',
    'sso-team-id': 'x',
    'organization-access': { 'manage-workspaces': true, manage_projects: null },
  });
  expect(made.status).toBe(200);
  expect(made.item).toMatchObject({
    type: 'teams',
    attributes: {
      name: 'ops',
      visibility: 'organization',
      'sso-team-id': 'x',
      'users-count': 0,
      'organization-access': { 'manage-workspaces': true, 'manage-projects': false, 'read-workspaces': false },
      permissions: { 'can-destroy': true, 'can-update-membership': true },
    },
  });
  expect((await ground.call('GET', `/teams/${made.item.id}`)).item).toEqual(made.item);
  const listed = await ground.call('GET', `/organizations/${name}/teams?filter%5Bnames%5D=OPS,none`);
  expect(listed.items).toEqual([made.item]);
  expect((await create(name, { name: 'OPS' })).errors[0]?.detail).toBe('Name has already been taken');
  expect((await create(name, { name: 'a/b' })).status).toBe(422);
  expect((await create(name, { name: 'flags', 'organization-access': { 'manage-workspaces': 'yes' } })).status).toBe(
    422,
  );
  const changed = await ground.call(
    'PATCH',
    `/teams/${made.item.id}`,
    documentOf('teams', { name: 'operations', 'organization-access': { 'read-projects': true } }),
  );
  expect(changed.item.attributes).toMatchObject({
    name: 'operations',
    'sso-team-id': 'x',
    'organization-access': { 'manage-workspaces': true, 'read-projects': true },
  });
  expect((await ground.call('DELETE', `/teams/${made.item.id}`)).status).toBe(204);
  expect((await ground.call('GET', `/teams/${made.item.id}`)).status).toBe(404);
});

test('members can be given by name, by id or by membership', async () => {
  const { id, name } = await ground.organization();
  const [ada, bob] = [await ground.user(id), await ground.user(id)];
  const carl = await ground.user(id);
  const team = (await create(name, { name: 'crew' })).item.id;
  const change = (method: string, type: string, ...ids: readonly string[]) =>
    ground.call(method, `/teams/${team}/relationships/${type}`, identifiers(type, ...ids));
  expect((await change('POST', 'users', (await nameOf(ada.id)).toUpperCase(), bob.id)).status).toBe(204);
  expect((await change('POST', 'users', ada.id)).status).toBe(204);
  expect((await change('POST', 'users', carl.id, 'nobody')).errors[0]?.detail).toContain(
    'User "nobody" is not a member',
  );
  expect((await change('POST', 'users', carl.id)).status).toBe(204);
  const shown = await ground.call('GET', `/teams/${team}?include=users,organization-memberships`);
  expect(shown.item.attributes['users-count']).toBe(3);
  const memberships = shown.item.relationships['organization-memberships']?.data as readonly { id: string }[];
  expect(memberships).toHaveLength(3);
  expect(shown.body?.included?.map(({ type }) => type).toSorted()).toEqual([
    ...Array.from({ length: 3 }, () => 'organization-memberships'),
    ...Array.from({ length: 3 }, () => 'users'),
  ]);
  expect((await change('DELETE', 'users', ada.id, 'nobody')).status).toBe(204);
  const ids = memberships.map((one) => one.id);
  expect((await change('DELETE', 'organization-memberships', ...ids)).status).toBe(204);
  expect((await ground.call('GET', `/teams/${team}`)).item.attributes['users-count']).toBe(0);
  expect((await change('POST', 'organization-memberships', ids[0] ?? '')).status).toBe(204);
  expect((await change('POST', 'organization-memberships', 'ou-none')).status).toBe(422);
  expect((await ground.call('GET', `/teams/${team}?include=cats`)).errors[0]?.title).toContain('include parameter');
});

test('the last owner cannot be removed, and the owners team cannot be changed or deleted', async () => {
  const { id, name } = await ground.organization();
  const members = await Promise.all(Array.from({ length: 12 }, () => ground.user(id)));
  const teams = await ground.call('GET', `/organizations/${name}/teams?filter%5Bnames%5D=owners`);
  const owners = teams.items[0]?.id ?? '';
  const change = (method: string, ...ids: readonly string[]) =>
    ground.call(method, `/teams/${owners}/relationships/users`, identifiers('users', ...ids));
  expect((await change('POST', ...members.map((one) => one.id))).status).toBe(204);
  const all = await Promise.all(members.map((one) => change('DELETE', one.id)));
  expect(all.filter(({ status }) => status === 204)).toHaveLength(members.length - 1);
  expect(all.filter(({ status }) => status === 422)).toHaveLength(1);
  const { relationships } = (await ground.call('GET', `/teams/${owners}`)).item;
  const [left] = (relationships['users']?.data ?? []) as readonly { readonly id: string }[];
  const memberships = await ground.call('GET', `/organizations/${name}/organization-memberships`);
  const own = memberships.items.find((item) => relatedId(item, 'user') === left?.id);
  expect((await ground.call('DELETE', `/organization-memberships/${own?.id}`)).status).toBe(422);
  expect((await ground.call('DELETE', `/teams/${owners}`)).status).toBe(403);
  expect((await ground.call('PATCH', `/teams/${owners}`, documentOf('teams', { name: 'x' }))).status).toBe(403);
});

test('callers cannot gain rights through a team', async () => {
  const { id, name } = await ground.organization();
  const [ada, bob] = [await ground.user(id), await ground.user(id)];
  const manager = await ground.team(id, {
    flags: ['manage-teams', 'access-secret-teams', 'read-workspaces'],
    members: [ada.id],
  });
  const strong = (await create(name, { name: 'strong', 'organization-access': { 'manage-workspaces': true } })).item.id;
  const owners = (await ground.call('GET', `/organizations/${name}/teams?q=owners`)).items[0]?.id ?? '';
  for (const token of [ada.token, manager.token]) {
    for (const team of [strong, owners]) {
      const ask = async (method: string, path: string, body?: object) =>
        (await ground.call(method, `/teams/${team}${path}`, body, token)).status;
      expect(await ask('POST', '/relationships/users', identifiers('users', ada.id))).toBe(404);
      expect(await ask('POST', '/authentication-token')).toBe(404);
      expect(await ask('DELETE', '')).toBe(404);
    }
    const given = await create(name, { name: 'given', 'organization-access': { 'manage-workspaces': true } }, token);
    expect(given.status).toBe(403);
  }
  const weak = await create(name, { name: 'weak', 'organization-access': { 'read-workspaces': true } }, ada.token);
  expect(weak.status).toBe(200);
  const path = `/teams/${weak.item.id}`;
  expect(
    (await ground.call('POST', `${path}/relationships/users`, identifiers('users', bob.id), ada.token)).status,
  ).toBe(204);
  const more = documentOf('teams', { 'organization-access': { 'manage-projects': true } });
  expect((await ground.call('PATCH', path, more, ada.token)).status).toBe(403);
  expect((await ground.call('PATCH', path, documentOf('teams', { name: 'weaker' }), ada.token)).status).toBe(200);
});

test('a secret team is visible to its members and to managers of secret teams', async () => {
  const { id, name } = await ground.organization();
  const [ada, bob] = [await ground.user(id), await ground.user(id)];
  const secret = await ground.team(id, { members: [ada.id] });
  const open = (await create(name, { name: 'open', visibility: 'organization' })).item.id;
  const seen = async (token: string) =>
    (await ground.call('GET', `/organizations/${name}/teams`, undefined, token)).items
      .map((item) => item.id)
      .toSorted();
  expect(await seen(ada.token)).toEqual([open, secret.id].toSorted());
  expect(await seen(bob.token)).toEqual([open]);
  expect((await ground.call('GET', `/teams/${secret.id}`, undefined, bob.token)).status).toBe(404);
});
