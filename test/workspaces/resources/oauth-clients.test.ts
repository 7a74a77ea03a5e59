import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { gitServer } from '#test/support/servers/git-server.ts';
import { type Item, workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();

const attributes = {
  name: 'main',
  'service-provider': 'github',
  'http-url': 'https://github.com',
  'api-url': 'https://api.github.com',
  'oauth-token-string': 'token-not-for-eyes',
};
const client = (more: object = {}, relationships: object = {}) => ({
  data: { type: 'oauth-clients', attributes: { ...attributes, ...more }, relationships },
});
const tokenIdOf = ({ relationships }: Item): string => {
  const [token] = (relationships['oauth-tokens']?.data ?? []) as readonly { readonly id: string }[];
  return token?.id ?? '';
};
const to = (type: string, ...ids: readonly string[]) => ({ data: ids.map((id) => ({ type, id })) });

async function stage() {
  const organization = await ground.organization();
  const path = `/organizations/${organization.name}/oauth-clients`;
  const make = async (more: object = {}) => {
    const { item } = await ground.call('POST', path, client(more));
    return { id: item.id, tokenId: tokenIdOf(item) };
  };
  return { organization, path, make };
}

const stored = async (table: string, column: string, id: string) => {
  const { rows } = await sql<{ value: Buffer | null }>`
    select ${sql.ref(column)} as value from ${sql.table(table)} where id = ${id}`.execute(ground.service.store.db);
  const sealed = rows[0]?.value ?? null;
  expect(sealed?.includes('not-for-eyes') ?? false).toBe(false);
  return sealed && ground.service.store.barrier.open(sealed, `${table}/${id}`).toString();
};

describe('OAuth clients', () => {
  test('are created with a token, read, listed and deleted with it', async () => {
    const { organization, path } = await stage();
    const made = await ground.call('POST', path, client({ secret: 'secret-not-for-eyes', key: 'app' }));
    expect(made.status).toBe(201);
    const { id } = made.item;
    expect(made.item).toMatchObject({
      id: expect.stringMatching(/^oc-\w{16}$/),
      type: 'oauth-clients',
      attributes: {
        name: 'main',
        key: 'app',
        'service-provider': 'github',
        'service-provider-display-name': 'GitHub',
        'http-url': 'https://github.com',
        'organization-scoped': true,
      },
      relationships: {
        organization: { data: { id: organization.name } },
        'oauth-tokens': { data: [{ id: expect.stringMatching(/^ot-\w{16}$/), type: 'oauth-tokens' }] },
      },
    });
    expect((await ground.call('GET', `/oauth-clients/${id}`)).item).toEqual(made.item);
    const list = await ground.call('GET', path);
    expect([list.items, list.body?.meta]).toMatchObject([[made.item], { pagination: { 'total-count': 1 } }]);
    for (const answer of [made, list]) expect(answer.text).not.toContain('not-for-eyes');
    expect(await stored('ws_oauth_clients', 'secret', id)).toBe('secret-not-for-eyes');
    expect((await ground.call('DELETE', `/oauth-clients/${id}`)).status).toBe(204);
    expect((await ground.call('GET', `/oauth-clients/${id}`)).status).toBe(404);
    expect((await ground.call('GET', `/organizations/${organization.name}/oauth-tokens`)).items).toEqual([]);
  });

  test.each([
    // As the provider sends them when the configuration omits them.
    { 'service-provider': 'bitbucket_hosted', key: '', secret: '', name: '' },
    {
      'service-provider': 'bitbucket_data_center',
      key: '',
      secret: '',
      'rsa-public-key': '',
      'oauth-token-string': '',
    },
    { 'service-provider': 'github', key: '', 'private-key': '' },
  ])('treat an empty secret as absent: %o', async (sent) => {
    const { path } = await stage();
    const made = await ground.call('POST', path, client(sent));
    expect(made.status, made.text).toBe(201);
    expect((await ground.call('GET', `/oauth-clients/${made.item.id}`)).item).toEqual(made.item);
    for (const column of ['secret', 'private_key'])
      expect(await stored('ws_oauth_clients', column, made.item.id)).toBe(null);
    expect(tokenIdOf(made.item) !== '').toBe(sent['oauth-token-string'] !== '');
  });

  test('update only what was sent, and a new token keeps the id of the old one', async () => {
    const { make } = await stage();
    const { id, tokenId } = await make();
    const change = (sent: object) =>
      ground.call('PATCH', `/oauth-clients/${id}`, { data: { type: 'oauth-clients', attributes: sent } });
    const renamed = await change({ name: 'other', 'organization-scoped': false });
    expect([renamed.status, renamed.item.attributes]).toMatchObject([
      200,
      { name: 'other', 'organization-scoped': false, 'http-url': 'https://github.com' },
    ]);
    expect(await stored('ws_oauth_tokens', 'secret', tokenId)).toBe('token-not-for-eyes');
    await change({ 'oauth-token-string': '' });
    expect(await stored('ws_oauth_tokens', 'secret', tokenId)).toBe('token-not-for-eyes');
    await change({ 'oauth-token-string': 'new', secret: 's' });
    expect(await stored('ws_oauth_tokens', 'secret', tokenId)).toBe('new');
    expect(await stored('ws_oauth_clients', 'secret', id)).toBe('s');
    const emptied = await change({ secret: null, name: null });
    expect(emptied.item.attributes['name']).toBeNull();
    expect(await stored('ws_oauth_clients', 'secret', id)).toBeNull();
  });

  test('can have a key and a secret instead of a token if the provider needs them, and get a token later', async () => {
    const { path } = await stage();
    const linkedLater = { 'oauth-token-string': null, 'service-provider': 'bitbucket_data_center' };
    expect((await ground.call('POST', path, client(linkedLater))).status).toBe(201);
    const made = await ground.call(
      'POST',
      path,
      client({ 'oauth-token-string': null, 'service-provider': 'gitlab_hosted', key: 'k', secret: 's' }),
    );
    expect([made.status, made.item.relationships['oauth-tokens']?.data]).toEqual([201, []]);
    const changed = await ground.call('PATCH', `/oauth-clients/${made.item.id}`, {
      data: { type: 'oauth-clients', attributes: { 'oauth-token-string': 'late' } },
    });
    expect(changed.item.relationships['oauth-tokens']?.data).toHaveLength(1);
  });

  test.each([
    ['no body', undefined, 400],
    ['another type', { data: { type: 'clients', attributes } }, 422],
    ['no provider', client({ 'service-provider': undefined }), 422],
    ['an unknown provider', client({ 'service-provider': 'sourceforge' }), 422],
    ['no address', client({ 'http-url': undefined }), 422],
    ['no address of the API', client({ 'api-url': undefined }), 422],
    ['another kind of address', client({ 'http-url': 'ftp://x' }), 422],
    ['an address with a password', client({ 'http-url': 'https://u:not-for-eyes@x' }), 422],
    ['no token', client({ 'oauth-token-string': undefined }), 422],
    ['a number for a token', client({ 'oauth-token-string': 7 }), 422],
    ['no key for the server that needs one', client({ 'service-provider': 'ado_server' }), 422],
    ['a foreign project', client({}, { projects: to('projects', 'prj-nothing') }), 422],
  ])('cannot be created with %s', async (_what, body, status) => {
    const { path } = await stage();
    const refused = await ground.call('POST', path, body);
    expect(refused.status).toBe(status);
    expect(refused.text).not.toContain('not-for-eyes');
    expect((await ground.call('GET', path)).items).toEqual([]);
  });

  test('can be limited to projects', async () => {
    const { organization, path } = await stage();
    const other = await ground.project(organization.id);
    const made = await ground.call(
      'POST',
      path,
      client({ 'organization-scoped': false }, { projects: to('projects', organization.projectId) }),
    );
    const projects = async () =>
      ((await ground.call('GET', `/oauth-clients/${made.item.id}`)).item.relationships['projects']?.data ??
        []) as readonly unknown[];
    expect(await projects()).toEqual([{ id: organization.projectId, type: 'projects' }]);
    const related = `/oauth-clients/${made.item.id}/relationships/projects`;
    expect((await ground.call('POST', related, to('projects', other, other, organization.projectId))).status).toBe(204);
    expect(await projects()).toHaveLength(2);
    expect((await ground.call('DELETE', related, to('projects', other, 'prj-nothing'))).status).toBe(204);
    expect(await projects()).toHaveLength(1);
    expect((await ground.call('POST', related, to('projects', 'prj-nothing'))).status).toBe(422);
  });
});

/** A repository host with two repositories, as attributes of its client. */
async function host() {
  const git = await gitServer();
  for (const name of ['a/b', 'a/c']) git.repository(name).commit({ 'main.tf': '' });
  return { 'http-url': git.url, 'api-url': git.url };
}

describe('the repository of a workspace', () => {
  const create = (name: string, project: string, token: string) =>
    ground.call('POST', `/organizations/${name}/workspaces`, {
      data: {
        type: 'workspaces',
        attributes: { name: 'connected', 'vcs-repo': { identifier: 'a/b', 'oauth-token-id': token } },
        relationships: { project: { data: { type: 'projects', id: project } } },
      },
    });

  test('uses a client of the organization or of the project', async () => {
    const { organization, path } = await stage();
    const other = await ground.project(organization.id);
    const projects = { projects: to('projects', organization.projectId) };
    const made = await ground.call('POST', path, client({ ...(await host()), 'organization-scoped': false }, projects));
    const tokenId = tokenIdOf(made.item);
    const refused = await create(organization.name, other, tokenId);
    expect([refused.status, refused.errors[0]?.source?.pointer]).toEqual([
      422,
      '/data/attributes/vcs-repo/oauth-token-id',
    ]);
    expect((await create(organization.name, organization.projectId, tokenId)).status).toBe(201);
  });

  test('is disconnected when the client is deleted', async () => {
    const { organization, make } = await stage();
    const attributes = await host();
    const { id, tokenId } = await make(attributes);
    const workspace = await create(organization.name, organization.projectId, tokenId);
    expect((await ground.call('DELETE', `/oauth-clients/${id}`)).status).toBe(204);
    const path = `/workspaces/${workspace.item.id}`;
    expect((await ground.call('GET', path)).item.attributes).toMatchObject({
      'oauth-client-name': null,
      'vcs-repo': null,
      'vcs-repo-identifier': null,
    });
    const update = (repo: object) =>
      ground.call('PATCH', path, { data: { type: 'workspaces', attributes: { 'vcs-repo': repo } } });
    const next = await make(attributes);
    expect((await update({ 'oauth-token-id': next.tokenId })).status).toBe(422);
    expect((await update({ 'oauth-token-id': next.tokenId, identifier: 'a/c' })).status).toBe(200);
  });
});

describe('OAuth tokens', () => {
  test('are listed by organization and client, read, assigned an SSH key and deleted', async () => {
    const { organization, make } = await stage();
    const { id, tokenId } = await make();
    const shown = await ground.call('GET', `/oauth-tokens/${tokenId}`);
    expect(shown.item).toMatchObject({
      type: 'oauth-tokens',
      attributes: { 'has-ssh-key': false, 'service-provider-user': null },
      relationships: { 'oauth-client': { data: { id, type: 'oauth-clients' } } },
    });
    for (const path of [`/organizations/${organization.name}/oauth-tokens`, `/oauth-clients/${id}/oauth-tokens`])
      expect((await ground.call('GET', path)).items).toEqual([shown.item]);
    const change = (sent: object) =>
      ground.call('PATCH', `/oauth-tokens/${tokenId}`, { data: { type: 'oauth-tokens', attributes: sent } });
    const keyed = await change({ 'ssh-key': 'key-not-for-eyes' });
    expect([keyed.status, keyed.item.attributes['has-ssh-key'], keyed.text.includes('not-for-eyes')]).toEqual([
      200,
      true,
      false,
    ]);
    expect((await change({})).item.attributes['has-ssh-key']).toBe(true);
    expect(await stored('ws_oauth_tokens', 'ssh_key', tokenId)).toBe('key-not-for-eyes');
    expect((await change({ 'ssh-key': null })).item.attributes['has-ssh-key']).toBe(false);
    expect((await change({ 'ssh-key': 7 })).status).toBe(422);
    expect((await ground.call('DELETE', `/oauth-tokens/${tokenId}`)).status).toBe(204);
    for (const method of ['GET', 'DELETE'])
      expect((await ground.call(method, `/oauth-tokens/${tokenId}`)).status).toBe(404);
  });
});

test('members read clients and tokens, managers of VCS settings change them, and users of other organizations get 404', async () => {
  const { organization, path, make } = await stage();
  const { id, tokenId } = await make();
  const manager = await ground.team(organization.id, { flags: ['manage-vcs-settings'] });
  const member = await ground.team(organization.id);
  const stranger = await ground.user((await ground.organization()).id);
  const empty = (type: string) => ({ data: { type, attributes: {} } });
  const statuses = async (token: string) => [
    (await ground.call('GET', path, undefined, token)).status,
    (await ground.call('GET', `/oauth-clients/${id}`, undefined, token)).status,
    (await ground.call('GET', `/oauth-tokens/${tokenId}`, undefined, token)).status,
    (await ground.call('POST', path, client(), token)).status,
    (await ground.call('PATCH', `/oauth-clients/${id}`, empty('oauth-clients'), token)).status,
    (await ground.call('PATCH', `/oauth-tokens/${tokenId}`, empty('oauth-tokens'), token)).status,
  ];
  expect(await statuses(member.token)).toEqual([200, 200, 200, 404, 404, 404]);
  expect(await statuses(stranger.token)).toEqual([404, 404, 404, 404, 404, 404]);
  expect(await statuses(manager.token)).toEqual([200, 200, 200, 201, 200, 200]);
  for (const one of [`/oauth-clients/${id}`, `/oauth-tokens/${tokenId}`])
    expect((await ground.call('DELETE', one, undefined, member.token)).status).toBe(404);
});
