import { expect, test } from 'vitest';
import { documentOf, relatedId } from '../../support/documents.ts';
import { workspaceGround } from '../../support/ground.ts';

const ground = workspaceGround();
const invite = (organization: string, email: unknown, teams: readonly string[] = [], token?: string) =>
  ground.call(
    'POST',
    `/organizations/${organization}/organization-memberships`,
    documentOf('organization-memberships', { email }, { teams: teams.map((id) => ({ type: 'teams', id })) }),
    token,
  );

/** Accepts as the invited user; without a token as the site administrator. */
const accept = (id: string, token?: string) =>
  ground.call('POST', `/organization-memberships/${id}/actions/accept`, undefined, token);

test('an invitation belongs to the user with the address, includes teams, and takes effect when accepted', async () => {
  const { id, name } = await ground.organization();
  const team = await ground.team(id);
  const guest = await ground.user((await ground.organization()).id);
  const made = await invite(name, `${guest.id.toUpperCase()}@b.test`, [team.id]);
  expect(made.status).toBe(201);
  expect(made.body?.included?.map(({ id: included }) => included)).toEqual([guest.id]);
  expect(made.item).toMatchObject({
    type: 'organization-memberships',
    attributes: { status: 'invited', email: `${guest.id}@b.test`.toLowerCase(), username: null },
    relationships: {
      user: { data: { id: guest.id, type: 'users' } },
      teams: { data: [{ id: team.id, type: 'teams' }] },
      organization: { data: { id: name, type: 'organizations' } },
    },
  });
  expect((await ground.call('GET', `/organizations/${name}`, undefined, guest.token)).status).toBe(404);
  const accepted = await accept(made.item.id, guest.token);
  expect([accepted.status, accepted.item.attributes]).toMatchObject([200, { status: 'active', username: guest.id }]);
  expect((await ground.call('GET', `/organizations/${name}`, undefined, guest.token)).status).toBe(200);
  const shown = await ground.call('GET', `/organization-memberships/${made.item.id}?include=user,teams,organization`);
  expect(shown.item).toEqual(accepted.item);
  expect(shown.body?.included?.map(({ type }) => type)).toEqual(['users', 'teams', 'organizations']);
  const listed = await ground.call(
    'GET',
    `/organizations/${name}/organization-memberships?filter%5Bemail%5D=${guest.id}@b.test`,
  );
  expect(listed.items).toEqual([accepted.item]);
  const own = await ground.call('GET', '/organization-memberships', undefined, guest.token);
  expect(own.items.map((item) => item.id)).toContain(made.item.id);
  expect((await invite(name, `${guest.id}@b.test`)).errors[0]?.detail).toBe('Email has already been taken');
  expect((await invite(name, 'nobody')).status).toBe(422);
  expect((await invite(name, 'new@b.test', ['team-none'])).status).toBe(422);
  expect(
    (await ground.call('DELETE', `/organization-memberships/${made.item.id}`, undefined, guest.token)).status,
  ).toBe(204);
  expect((await ground.call('GET', `/organizations/${name}`, undefined, guest.token)).status).toBe(404);
  expect((await ground.call('GET', `/teams/${team.id}`)).item.attributes['users-count']).toBe(0);
});

test('an invitation of an unknown address waits until an administrator creates the user, who then accepts', async () => {
  const { id, name } = await ground.organization();
  const team = await ground.team(id);
  const made = await invite(name, 'later@b.test', [team.id]);
  expect(made.item.attributes).toMatchObject({ status: 'invited', email: 'later@b.test' });
  const path = `/organizations/${name}/organization-memberships?filter%5Bstatus%5D=`;
  expect((await ground.call('GET', `${path}invited`)).items).toHaveLength(1);
  expect((await accept(made.item.id)).status).toBe(409);
  const user = await ground.call(
    'POST',
    '/admin/users',
    documentOf('users', { username: 'later', email: 'Later@b.test' }),
  );
  expect(user.status).toBe(201);
  expect(user.item.relationships['organizations']?.data).toEqual([]);
  expect((await ground.call('GET', `${path}active`)).items).toEqual([]);
  const token = await ground.call(
    'POST',
    `/users/${user.item.id}/authentication-tokens`,
    documentOf('authentication-tokens', {}),
  );
  const own = String(token.item.attributes['token']);
  expect((await ground.call('GET', `/teams/${team.id}`, undefined, own)).status).toBe(404);
  expect((await accept(made.item.id, own)).status).toBe(200);
  expect((await ground.call('GET', `${path}active`)).items.map((item) => item.id)).toEqual([made.item.id]);
  expect((await ground.call('GET', `/teams/${team.id}`, undefined, own)).status).toBe(200);
});

test('a user cannot take an invitation by claiming its address', async () => {
  const { name } = await ground.organization();
  const thief = await ground.user((await ground.organization()).id);
  const claim = documentOf('users', { email: 'victim@b.test' });
  const claimed = await ground.call('PATCH', '/account/update', claim, thief.token);
  expect(claimed.item.attributes).toMatchObject({ email: `${thief.id}@b.test`, 'unconfirmed-email': 'victim@b.test' });
  expect((await invite(name, 'victim@b.test')).item.attributes['status']).toBe('invited');
  expect((await ground.call('GET', `/organizations/${name}`, undefined, thief.token)).status).toBe(404);
});

test('only managers of memberships invite users, and only owners remove owners', async () => {
  const { id, name } = await ground.organization();
  const [manager, member, owner] = [await ground.user(id), await ground.user(id), await ground.user(id)];
  await ground.team(id, { flags: ['manage-membership'], members: [manager.id] });
  await ground.team(id, { owners: true, members: [owner.id] });
  expect((await invite(name, 'a1@b.test', [], member.token)).status).toBe(404);
  expect((await invite(name, 'a1@b.test', [], manager.token)).status).toBe(201);
  const all = await ground.call('GET', `/organizations/${name}/organization-memberships`, undefined, member.token);
  const of = (user: string) => all.items.find((item) => relatedId(item, 'user') === user)?.id;
  const remove = async (user: string, token: string) =>
    (await ground.call('DELETE', `/organization-memberships/${of(user)}`, undefined, token)).status;
  expect(await remove(manager.id, member.token)).toBe(404);
  expect(await remove(owner.id, manager.token)).toBe(403);
  expect(await remove(member.id, manager.token)).toBe(204);
});

test('a membership found by its address includes the user with this address', async () => {
  const { id, name } = await ground.organization();
  const [ada, bob] = [await ground.user(id), await ground.user(id)];
  const path = `/organizations/${name}/organization-memberships?include=user&filter%5Bemail%5D=${ada.id}@b.test`;
  const found = await ground.call('GET', path, undefined, bob.token);
  const [user] = found.body?.included ?? [];
  expect([user?.id, user?.attributes['email']]).toEqual([ada.id, `${ada.id}@b.test`]);
  const one = `/organization-memberships/${found.items[0]?.id}?include=user`;
  const shown = await ground.call('GET', one, undefined, bob.token);
  expect(shown.body?.included?.[0]?.attributes['email']).toBe(`${ada.id}@b.test`);
  expect((await ground.call('GET', `/users/${ada.id}`, undefined, bob.token)).item.attributes['email']).toBeNull();
});
