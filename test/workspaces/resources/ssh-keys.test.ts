import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();

const value = '-----BEGIN OPENSSH PRIVATE KEY-----\nnot for eyes\n-----END OPENSSH PRIVATE KEY-----';
const key = (attributes: object) => ({ data: { type: 'ssh-keys', attributes } });

async function stage() {
  const organization = await ground.organization();
  const path = `/organizations/${organization.name}/ssh-keys`;
  const make = async (name = 'deploy') => (await ground.call('POST', path, key({ name, value }))).item.id;
  return { organization, path, make };
}

describe('SSH keys', () => {
  test('are created, listed by name, read, renamed and deleted, and never returned', async () => {
    const { path } = await stage();
    const made = await ground.call('POST', path, key({ name: 'deploy', value }));
    const { id } = made.item;
    expect(made.status).toBe(201);
    expect(made.item).toEqual({
      id: expect.stringMatching(/^sshkey-\w{16}$/),
      type: 'ssh-keys',
      attributes: { name: 'deploy' },
      links: { self: `/api/v2/ssh-keys/${id}` },
    });
    await ground.call('POST', path, key({ name: 'another', value }));
    const list = await ground.call('GET', path);
    expect(list.items.map(({ attributes }) => attributes['name'])).toEqual(['another', 'deploy']);
    expect(list.body?.meta).toMatchObject({ pagination: { 'total-count': 2 } });
    expect((await ground.call('GET', `/ssh-keys/${id}`)).item).toEqual(made.item);
    const renamed = await ground.call('PATCH', `/ssh-keys/${id}`, key({ name: 'renamed' }));
    expect([renamed.status, renamed.item.attributes]).toEqual([200, { name: 'renamed' }]);
    expect((await ground.call('DELETE', `/ssh-keys/${id}`)).status).toBe(204);
    for (const method of ['GET', 'DELETE']) expect((await ground.call(method, `/ssh-keys/${id}`)).status).toBe(404);
  });

  test('are stored encrypted and bound to their rows, and a new value replaces the old one', async () => {
    const { make } = await stage();
    const id = await make();
    const { barrier, db } = ground.service.store;
    const stored = async () => {
      const { rows } = await sql<{ value: Buffer }>`select value from ws_ssh_keys where id = ${id}`.execute(db);
      const sealed = rows[0]?.value ?? Buffer.alloc(0);
      expect(sealed.includes('not for eyes')).toBe(false);
      return barrier.open(sealed, `ws_ssh_keys/${id}`).toString();
    };
    expect(await stored()).toBe(value);
    await ground.call('PATCH', `/ssh-keys/${id}`, key({ name: 'x' }));
    expect(await stored()).toBe(value);
    await ground.call('PATCH', `/ssh-keys/${id}`, key({ value: 'new' }));
    expect(await stored()).toBe('new');
  });

  test.each([
    ['no body', undefined, 400],
    ['another type', { data: { type: 'workspaces', attributes: { name: 'a', value } } }, 422],
    ['no name', key({ value }), 422],
    ['no value', key({ name: 'a' }), 422],
    ['an empty name', key({ name: ' ', value }), 422],
    ['a number for a value', key({ name: 'a', value: 7 }), 422],
    ['a long name', key({ name: 'a'.repeat(256), value }), 422],
    ['a long value', key({ name: 'a', value: 'v'.repeat(16_385) }), 422],
  ])('cannot be created with %s, and the answer does not repeat the value', async (_what, body, status) => {
    const { path } = await stage();
    const refused = await ground.call('POST', path, body);
    expect(refused.status).toBe(status);
    expect(refused.text).not.toContain('not for eyes');
  });

  test('are changed by managers of VCS settings, and visible only to members', async () => {
    const { organization, path, make } = await stage();
    const id = await make();
    const manager = await ground.team(organization.id, { flags: ['manage-vcs-settings'] });
    const member = await ground.team(organization.id, { flags: ['manage-workspaces'] });
    const stranger = await ground.user((await ground.organization()).id);
    const statuses = async (token: string) => [
      (await ground.call('GET', path, undefined, token)).status,
      (await ground.call('GET', `/ssh-keys/${id}`, undefined, token)).status,
      (await ground.call('POST', path, key({ name: 'n', value }), token)).status,
      (await ground.call('PATCH', `/ssh-keys/${id}`, key({ name: 'n' }), token)).status,
    ];
    expect(await statuses(manager.token)).toEqual([200, 200, 201, 200]);
    expect(await statuses(member.token)).toEqual([200, 200, 404, 404]);
    expect(await statuses(stranger.token)).toEqual([404, 404, 404, 404]);
    expect((await ground.call('DELETE', `/ssh-keys/${id}`, undefined, member.token)).status).toBe(404);
    expect((await ground.call('DELETE', `/ssh-keys/${id}`, undefined, manager.token)).status).toBe(204);
  });
});

describe('the key of a workspace', () => {
  const assign = (id: string, body: unknown, token?: string) =>
    ground.call('PATCH', `/workspaces/${id}/relationships/ssh-key`, body, token);
  const asAttribute = (id: unknown) => ({ data: { type: 'workspaces', attributes: { id } } });

  test.each([
    ['an attribute', asAttribute, asAttribute(null)],
    ['an identifier and null', (id: string) => ({ data: { type: 'ssh-keys', id } }), { data: null }],
    [
      'an identifier and a null id',
      (id: string) => ({ data: { type: 'ssh-keys', id } }),
      { data: { type: 'ssh-keys', id: null } },
    ],
  ])('is assigned and removed as %s', async (_form, given, taken) => {
    const { organization, make } = await stage();
    const { id } = await ground.workspace(organization.id, organization.projectId);
    const keyId = await make();
    const assigned = await assign(id, given(keyId));
    expect([assigned.status, assigned.item.type]).toEqual([200, 'workspaces']);
    expect(assigned.item.relationships['ssh-key']?.data).toEqual({ id: keyId, type: 'ssh-keys' });
    const unassigned = await assign(id, taken);
    expect([unassigned.status, unassigned.item.relationships['ssh-key']?.data]).toEqual([200, null]);
  });

  test('is removed with the key', async () => {
    const { organization, make } = await stage();
    const { id } = await ground.workspace(organization.id, organization.projectId);
    const keyId = await make();
    await assign(id, asAttribute(keyId));
    await ground.call('DELETE', `/ssh-keys/${keyId}`);
    const { rows } = await sql<{ id: string | null }>`
      select ssh_key_id as id from ws_workspaces where id = ${id}`.execute(ground.service.store.db);
    expect(rows).toEqual([{ id: null }]);
  });

  test.each([
    ['no body', undefined, 400],
    ['another type', { data: { type: 'runs', id: 'x' } }, 422],
    ['no id', { data: { type: 'workspaces', attributes: {} } }, 422],
    ['a number', asAttribute(7), 422],
    ['a key that does not exist', asAttribute('sshkey-nothing'), 422],
  ])('cannot be %s', async (_what, body, status) => {
    const { organization } = await stage();
    const { id } = await ground.workspace(organization.id, organization.projectId);
    expect((await assign(id, body)).status).toBe(status);
  });

  test('must belong to its organization, and only administrators of the workspace assign it', async () => {
    const { organization, make } = await stage();
    const { id } = await ground.workspace(organization.id, organization.projectId);
    const foreign = await (await stage()).make();
    expect((await assign(id, asAttribute(foreign))).status).toBe(422);
    const keyId = await make();
    const statuses: number[] = [];
    for (const access of ['write', 'admin'] as const) {
      const team = await ground.team(organization.id);
      await ground.grant(team.id, { workspace: id }, access);
      statuses.push((await assign(id, asAttribute(keyId), team.token)).status);
    }
    expect(statuses).toEqual([404, 200]);
  });
});
