import { describe, expect, test } from 'vitest';
import { otherProcessOf } from '../../support/flow/other-process.ts';
import { documentOf } from '../support/documents.ts';
import { workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();
const other = otherProcessOf(ground.service);
const create = (attributes: object, token?: string) =>
  ground.call('POST', '/admin/users', documentOf('users', attributes), token);
const change = (id: string, attributes: object) =>
  ground.call('PATCH', `/admin/users/${id}`, documentOf('users', attributes));
const here = () => [ground.service.address, other.address];
const account = async (token: string) =>
  Promise.all(
    here().map(async (at) => (await ground.call('GET', `${at}/api/v2/account/details`, undefined, token)).status),
  );

test('users update their accounts; a new address waits for an administrator', async () => {
  const { id } = await ground.organization();
  const ada = await ground.user(id);
  const update = (attributes: object) =>
    ground.call('PATCH', '/account/update', documentOf('users', attributes), ada.token);
  expect((await update({ username: 'Ada.L', email: 'ada@b.test' })).item).toMatchObject({
    id: ada.id,
    type: 'users',
    attributes: { username: 'Ada.L', email: `${ada.id}@b.test`, 'unconfirmed-email': 'ada@b.test' },
  });
  expect((await change(ada.id, { email: 'ada@b.test' })).item.attributes).toMatchObject({
    email: 'ada@b.test',
    'unconfirmed-email': null,
  });
  const shown = await ground.call('GET', '/account/details', undefined, ada.token);
  expect(shown.item.attributes).toMatchObject({ email: 'ada@b.test', 'is-service-account': false });
  for (const bad of ['', 'user-1', 'a b', 'root', 'ROOT', 'x'.repeat(65)])
    expect((await update({ username: bad })).status, bad).toBe(422);
});

test('teams and organizations appear as service accounts', async () => {
  const { id } = await ground.organization();
  const { token } = await ground.team(id);
  for (const one of [token, await ground.organizationToken(id)]) {
    const shown = await ground.call('GET', '/account/details', undefined, one);
    expect(shown.item.attributes).toMatchObject({ 'is-service-account': true });
    const update = await ground.call('PATCH', '/account/update', documentOf('users', { username: 'me' }), one);
    expect(update.status).toBe(404);
  }
});

test('a user is visible to itself, to members of its organizations, and to administrators', async () => {
  const [one, two] = [await ground.organization(), await ground.organization()];
  const [ada, bob, eve] = [await ground.user(one.id), await ground.user(one.id), await ground.user(two.id)];
  const team = await ground.team(one.id);
  const show = async (token?: string) => ground.call('GET', `/users/${ada.id}`, undefined, token);
  const all = await Promise.all([ada.token, bob.token, team.token, eve.token, undefined].map(show));
  expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 404, 200]);
  expect(all.map(({ item }) => item.attributes['email'] ?? null)).toEqual([
    ...[`${ada.id}@b.test`, null, null, null, `${ada.id}@b.test`],
  ]);
});

test('site administrators create, find, update and delete users', async () => {
  const made = await create({ username: 'grace', email: 'grace@b.test' });
  expect(made.status).toBe(201);
  expect(made.item.attributes).toMatchObject({ username: 'grace', 'is-admin': false, 'entity-id': null });
  expect((await create({ username: 'GRACE', email: 'g@b.test' })).errors[0]?.detail).toBe(
    'Username has already been taken',
  );
  expect((await create({ username: 'grace2', email: 'GRACE@b.test' })).errors[0]?.detail).toBe(
    'Email has already been taken',
  );
  expect((await create({ username: 'grace3', email: 'g3@b.test', 'entity-id': 'none' })).status).toBe(422);
  expect((await create({ username: 'grace4' })).status).toBe(422);
  const path = `/admin/users/${made.item.id}`;
  expect((await ground.call('GET', path)).item).toEqual(made.item);
  expect((await ground.call('GET', '/admin/users?q=race')).items).toEqual([made.item]);
  const admin = await ground.call('POST', `${path}/actions/grant_admin`);
  expect(admin.item.attributes['is-admin']).toBe(true);
  const listed = await ground.call('GET', '/admin/users?filter%5Badmin%5D=true');
  expect(listed.items.map(({ attributes }) => attributes['username'])).toEqual(['grace', 'root']);
  expect((await ground.call('GET', '/admin/users?filter%5Badmin%5D=perhaps')).status).toBe(400);
  expect((await ground.call('DELETE', path)).status).toBe(204);
  expect((await ground.call('DELETE', path)).status).toBe(404);
  expect((await change('user-root', { 'is-admin': false })).status).toBe(403);
  expect((await ground.call('DELETE', '/admin/users/user-root')).status).toBe(403);
});

test('all other callers get 404 from administration', async () => {
  const { id, name } = await ground.organization();
  const [ada, owner] = [await ground.user(id), await ground.team(id, { owners: true })];
  for (const token of [ada.token, owner.token, await ground.organizationToken(id)]) {
    expect((await create({ username: 'mallory', email: 'm@b.test', 'is-admin': true }, token)).status).toBe(404);
    expect((await ground.call('GET', '/admin/users', undefined, token)).status).toBe(404);
    const path = `/admin/organizations/${name}/subscription`;
    expect((await ground.call('POST', path, documentOf('subscription', {}), token)).status).toBe(404);
  }
});

test('the requests of client test suites are answered', async () => {
  const { name } = await ground.organization();
  const sets = await ground.call('GET', '/admin/feature-sets?q=Business');
  expect(sets.items).toHaveLength(1);
  const body = documentOf('subscription', {}, { 'feature-set': { type: 'feature-sets', id: sets.items[0]?.id } });
  expect((await ground.call('POST', `/admin/organizations/${name}/subscription`, body)).status).toBe(200);
});

describe('a login of the secrets service', () => {
  const write = (path: string, body: object) => ground.service.ask('POST', path, body);

  async function login() {
    await write('auth/token/roles/alias', { allowed_entity_aliases: '*', orphan: true });
    const alias = ground.service.name('somebody');
    const { body } = await write('auth/token/create/alias', { entity_alias: alias, policies: ['default'] });
    const { client_token: token, entity_id: entity } = body['auth'] as { client_token: string; entity_id: string };
    return { token, entity, alias };
  }

  async function bound() {
    const account = await login();
    const user = await create({
      username: account.alias,
      email: `${account.alias}@b.test`,
      'entity-id': account.entity,
    });
    expect(user.status).toBe(201);
    return { ...account, id: user.item.id };
  }

  test('acts as the user to which its entity is bound', async () => {
    const { token, entity, alias, id } = await bound();
    const shown = await ground.call('GET', '/account/details', undefined, token);
    expect(shown.item).toMatchObject({ id, attributes: { username: alias } });
    expect((await create({ username: 'twice', email: 'twice@b.test', 'entity-id': entity })).errors[0]?.detail).toBe(
      'Entity id has already been taken',
    );
    expect(await account((await login()).token)).toEqual([401, 401]);
    await change(id, { 'entity-id': null });
    expect(await account(token)).toEqual([401, 401]);
    await change(id, { 'entity-id': entity });
    expect(await account(token)).toEqual([200, 200]);
  });

  test.each([
    ['its entity is disabled', ({ entity }) => write(`identity/entity/id/${entity}`, { disabled: true })],
    ['its entity is removed', ({ entity }) => ground.service.ask('DELETE', `identity/entity/id/${entity}`)],
    ['it is revoked', ({ token }) => write('auth/token/revoke', { token })],
    ['its user is removed', ({ id }) => ground.call('DELETE', `/admin/users/${id}`)],
    ['its user is suspended', ({ id }) => ground.call('POST', `/admin/users/${id}/actions/suspend`)],
  ] satisfies readonly (readonly [string, (one: Awaited<ReturnType<typeof bound>>) => Promise<unknown>])[])(
    'becomes invalid immediately in every process when %s',
    async (_what, end) => {
      const one = await bound();
      expect(await account(one.token)).toEqual([200, 200]);
      await end(one);
      expect(await account(one.token)).toEqual([401, 401]);
    },
  );

  test('with the root token acts as the site administrator', async () => {
    const shown = await ground.call('GET', '/account/details');
    expect(shown.item).toMatchObject({ id: 'user-root', attributes: { username: 'root', 'is-site-admin': true } });
  });
});

test('the tokens of a suspended user are invalid until the suspension ends', async () => {
  const { id } = await ground.organization();
  const ada = await ground.user(id);
  await ground.call('POST', `/admin/users/${ada.id}/actions/suspend`);
  expect(await account(ada.token)).toEqual([401, 401]);
  await ground.call('POST', `/admin/users/${ada.id}/actions/unsuspend`);
  expect(await account(ada.token)).toEqual([200, 200]);
  await ground.call('DELETE', `/admin/users/${ada.id}`);
  expect(await account(ada.token)).toEqual([401, 401]);
});
