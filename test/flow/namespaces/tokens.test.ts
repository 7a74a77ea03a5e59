import { expect, test } from 'vitest';
import { serviceOf } from '../../support/flow/open-service.ts';
import { askingIn, holderIn, type Space, spaceOf } from './spaces.ts';

const service = serviceOf([]);
const rule = (path: string, ...capabilities: string[]) =>
  `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }`;
const root = { ask: (...[method, path, body]: Parameters<Space['ask']>) => service.ask(method, path, body) };

test('a token is valid in its namespace and below, and its policies are relative to it', async () => {
  const outer = await spaceOf(service);
  const inner = await spaceOf(service, outer);
  const below = inner.path.slice(outer.path.length);
  const text = `${rule('secret/data/a', 'create', 'read', 'update')} ${rule(`${below}secret/data/a`, 'read')}`;
  const { client_token: token, accessor } = await holderIn(service, outer, text);
  const id = (await service.ask('GET', `sys/namespaces/${outer.path}`)).data['id'];
  expect(token).toMatch(new RegExp(`^hvs\\..+\\.${String(id)}$`));
  expect(accessor).toMatch(new RegExp(`\\.${String(id)}$`));
  expect((await outer.ask('POST', 'secret/data/a', { data: {} }, token)).status).toBe(200);
  expect((await inner.ask('GET', 'secret/data/a', undefined, token)).status).toBe(404);
  expect((await inner.ask('POST', 'secret/data/a', { data: {} }, token)).status).toBe(403);
  const other = await spaceOf(service);
  for (const ask of [other.ask, askingIn(service, '')])
    expect((await ask('GET', 'secret/data/a', undefined, token)).status).toBe(403);
});

test('a policy of the root covers paths of namespaces, and is distinct from policies of the same name elsewhere', async () => {
  const space = await spaceOf(service);
  const { client_token: token } = await holderIn(service, root, rule(`${space.path}secret/data/a`, 'read'));
  expect((await space.ask('GET', 'secret/data/a', undefined, token)).status).toBe(404);
  expect((await space.ask('GET', 'secret/data/b', undefined, token)).status).toBe(403);
  const name = service.name('same');
  await service.ask('PUT', `sys/policies/acl/${name}`, { policy: rule('*', 'read') });
  await space.ask('PUT', `sys/policies/acl/${name}`, { policy: rule('secret/data/b', 'read') });
  const made = await space.ask('POST', 'auth/token/create', { policies: [name], no_default_policy: true });
  const own = (made.body['auth'] as { client_token: string }).client_token;
  expect((await space.ask('GET', 'secret/data/b', undefined, own)).status).toBe(404);
  expect((await space.ask('GET', 'secret/data/a', undefined, own)).status).toBe(403);
  const listed = await space.ask('LIST', 'sys/policies/acl');
  expect(listed.data['keys']).toEqual(['default', 'root', name].sort());
  const asked = await space.ask('POST', 'sys/capabilities', { token: own, paths: ['secret/data/b', 'secret/data/a'] });
  expect(asked.data).toEqual({ 'secret/data/b': ['read'], 'secret/data/a': ['deny'] });
  const fromRoot = await service.ask('POST', 'sys/capabilities', { token: own, paths: ['secret/data/b'] });
  expect(fromRoot.data['secret/data/b']).toEqual(['deny']);
});

test('tokens are looked up, renewed and revoked only from their namespace and from above', async () => {
  const [space, other] = [await spaceOf(service), await spaceOf(service)];
  const { client_token: token, accessor } = await holderIn(service, space, rule('secret/data/a', 'read'));
  for (const ask of [space.ask, root.ask]) {
    const { data } = await ask('POST', 'auth/token/lookup', { token });
    expect(data['namespace_path']).toBe(space.path);
    expect((await ask('POST', 'auth/token/lookup-accessor', { accessor })).status).toBe(200);
    expect((await ask('POST', 'auth/token/renew', { token })).status).toBe(200);
  }
  expect((await other.ask('POST', 'auth/token/lookup', { token })).errors).toEqual(['bad token']);
  expect((await other.ask('POST', 'auth/token/lookup-accessor', { accessor })).status).toBe(400);
  expect((await other.ask('POST', 'auth/token/renew', { token })).status).toBe(400);
  expect((await other.ask('POST', 'auth/token/revoke', { token })).status).toBe(204);
  expect((await other.ask('POST', 'auth/token/revoke-orphan', { token })).status).toBe(400);
  expect((await other.ask('POST', 'auth/token/revoke-accessor', { accessor })).warnings).toHaveLength(1);
  expect((await other.ask('LIST', 'auth/token/accessors')).data['keys'] ?? []).toEqual([]);
  expect((await space.ask('LIST', 'auth/token/accessors')).data['keys']).toEqual([accessor]);
  expect((await service.ask('LIST', 'auth/token/accessors')).data['keys']).not.toContain(accessor);
  expect((await space.ask('GET', 'secret/data/a', undefined, token)).status).toBe(404);
  expect((await space.ask('POST', 'auth/token/revoke-accessor', { accessor })).status).toBe(204);
  expect((await space.ask('GET', 'secret/data/a', undefined, token)).status).toBe(403);
});

test('a namespace issues no root token, and callers of another namespace need sudo', async () => {
  const space = await spaceOf(service);
  const asRoot = await space.ask('POST', 'auth/token/create', { policies: ['root'] });
  expect([asRoot.status, asRoot.errors]).toEqual([400, ['root tokens may not be created from a non-root namespace']]);
  const usual = await space.ask('POST', 'auth/token/create', {});
  expect((usual.body['auth'] as { policies: string[] }).policies).toEqual(['default']);
  const { client_token: token } = await holderIn(service, root, rule(`${space.path}auth/token/create`, 'update'));
  const refused = await space.ask('POST', 'auth/token/create', { policies: ['x'] }, token);
  expect([refused.status, refused.errors]).toEqual([
    400,
    ['root or sudo privileges required to directly generate a token in a child namespace'],
  ]);
});

test('a batch token carries its namespace', async () => {
  const space = await spaceOf(service);
  await space.ask('PUT', 'sys/policies/acl/reads', { policy: rule('secret/data/a', 'read') });
  const made = await space.ask('POST', 'auth/token/create', { type: 'batch', policies: ['reads'] });
  const token = (made.body['auth'] as { client_token: string }).client_token;
  expect((await space.ask('GET', 'secret/data/a', undefined, token)).status).toBe(404);
  expect((await service.ask('GET', 'secret/data/a', undefined, { headers: { 'x-service-token': token } })).status).toBe(
    403,
  );
  expect((await space.ask('GET', 'auth/token/lookup-self', undefined, token)).data['namespace_path']).toBe(space.path);
});

test('token roles, leases, password policies and tidying are separate for each namespace', async () => {
  const [space, other] = [await spaceOf(service), await spaceOf(service)];
  await space.ask('POST', 'auth/token/roles/ci', { allowed_policies: 'x' });
  expect((await space.ask('LIST', 'auth/token/roles')).data['keys']).toEqual(['ci']);
  expect((await other.ask('GET', 'auth/token/roles/ci')).status).toBe(404);
  expect((await other.ask('POST', 'auth/token/create/ci', {})).errors).toEqual(['unknown role ci']);
  await space.ask('POST', 'auth/token/create/ci', {});
  const leases = async ({ ask }: Space) => (await ask('LIST', 'sys/leases/lookup/auth/token/create/ci')).data['keys'];
  const keys = (await leases(space)) as string[];
  expect(keys).toHaveLength(1);
  expect(await leases(other)).toEqual(undefined);
  const lease_id = `auth/token/create/ci/${keys[0]}`;
  expect((await space.ask('POST', 'sys/leases/lookup', { lease_id })).data['id']).toBe(lease_id);
  expect((await other.ask('POST', 'sys/leases/lookup', { lease_id })).status).toBe(400);
  expect((await other.ask('PUT', 'sys/leases/revoke-prefix/auth/token/create')).status).toBe(204);
  expect(await leases(space)).toHaveLength(1);
  expect((await space.ask('PUT', 'sys/leases/revoke-prefix/auth/token/create')).status).toBe(204);
  expect(await leases(space)).toEqual(undefined);
  await space.ask('PUT', 'sys/policies/password/long', {
    policy: 'length = 20\nrule "charset" { charset = "abcdefghij" }',
  });
  expect((await space.ask('GET', 'sys/policies/password/long/generate')).status).toBe(200);
  expect((await other.ask('GET', 'sys/policies/password/long/generate')).status).toBe(404);
  expect((await space.ask('POST', 'auth/token/tidy')).status).toBe(202);
});

test('a wrapped reply is unwrapped once, in its namespace or above', async () => {
  const space = await spaceOf(service);
  await space.ask('POST', 'secret/data/a', { data: { a: '1' } });
  const wrapped = await service.ask('GET', 'secret/data/a', undefined, {
    headers: { 'x-service-namespace': space.path, 'x-service-wrap-ttl': '60' },
  });
  const { token } = wrapped.body['wrap_info'] as { token: string };
  const bare = { headers: { 'x-service-token': token, 'x-service-namespace': space.path } };
  const taken = await service.ask('POST', 'sys/wrapping/unwrap', undefined, bare);
  expect([taken.status, taken.data['data']]).toEqual([200, { a: '1' }]);
  expect((await service.ask('POST', 'sys/wrapping/unwrap', undefined, bare)).status).toBe(400);
});

test('a token of a namespace looks itself up, renews and revokes itself without naming the namespace', async () => {
  const space = await spaceOf(service);
  const made = await space.ask('POST', 'auth/token/create', { ttl: '1h', policies: ['default'] });
  const { client_token: token, accessor } = made.body['auth'] as { client_token: string; accessor: string };
  const unnamed = askingIn(service, '');
  for (const verb of ['GET', 'POST']) {
    const { status, data } = await unnamed(verb, 'auth/token/lookup-self', undefined, token);
    expect(status).toBe(200);
    expect(data).toMatchObject({ accessor, namespace_path: space.path });
  }
  expect((await unnamed('POST', 'auth/token/renew-self', {}, token)).status).toBe(200);
  expect((await unnamed('POST', 'auth/token/lookup', { token }, token)).status).toBe(403);
  const other = await spaceOf(service);
  expect((await other.ask('GET', 'auth/token/lookup-self', undefined, token)).status).toBe(403);
  expect((await unnamed('POST', 'auth/token/revoke-self', {}, token)).status).toBe(204);
  expect((await space.ask('GET', 'auth/token/lookup-self', undefined, token)).status).toBe(403);
});

test('a token that may not look itself up in its namespace may not do so from outside either', async () => {
  const space = await spaceOf(service);
  const { client_token: token } = await holderIn(service, space, rule('secret/data/a', 'read'));
  expect((await askingIn(service, '')('GET', 'auth/token/lookup-self', undefined, token)).status).toBe(403);
});
