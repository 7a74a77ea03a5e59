import { beforeAll, describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';

// Roles of machines, as clients of the API family use them.
const service = serviceOf([]);
const at = (path: string) => `auth/approle/${path}`;
const write = (path: string, body: object = {}) => service.ask('POST', at(path), body);
const read = async (path: string) => (await service.ask('GET', at(path))).body['data'];

interface Made {
  readonly secret_id: string;
  readonly secret_id_accessor: string;
}

const roleIdOf = async (role: string) => ((await read(`role/${role}/role-id`)) as { role_id: string }).role_id;
const secretIdOf = async (role: string, body: object = {}) =>
  (await write(`role/${role}/secret-id`, body)).body['data'] as Made;
const login = async (role: string, secret_id: unknown) => write('login', { role_id: await roleIdOf(role), secret_id });

beforeAll(async () => {
  await service.ask('POST', 'sys/auth/approle', { type: 'approle' });
});

describe('a role', () => {
  test('is written, read, listed and deleted', async () => {
    expect((await write('role/Web', { policies: 'a', token_ttl: '20m', secret_id_num_uses: 5 })).status).toBe(204);
    expect(await read('role/web')).toEqual({
      token_ttl: 1200,
      token_max_ttl: 0,
      token_policies: ['a'],
      token_bound_cidrs: [],
      token_explicit_max_ttl: 0,
      token_no_default_policy: false,
      token_num_uses: 0,
      token_period: 0,
      token_type: 'default',
      policies: ['a'],
      bind_secret_id: true,
      secret_id_bound_cidrs: [],
      secret_id_num_uses: 5,
      secret_id_ttl: 0,
      local_secret_ids: false,
    });
    expect((await service.ask('LIST', at('role'))).body['data']).toMatchObject({ keys: ['web'] });
    await secretIdOf('web');
    expect((await service.ask('DELETE', at('role/web'))).status).toBe(204);
    expect((await service.ask('GET', at('role/web'))).status).toBe(404);
    expect((await service.ask('GET', at('role/web/role-id'))).status).toBe(404);
  });

  test.each([
    ['policies', 'token_policies', ['a', 'b'], []],
    ['bound-cidr-list', 'secret_id_bound_cidrs', ['10.0.0.0/8'], []],
    ['secret-id-bound-cidrs', 'secret_id_bound_cidrs', ['10.0.0.0/8'], []],
    ['token-bound-cidrs', 'token_bound_cidrs', ['10.0.0.0/8'], []],
    ['secret-id-num-uses', 'secret_id_num_uses', 3, 0],
    ['secret-id-ttl', 'secret_id_ttl', 30, 0],
    ['period', 'token_period', 30, 0],
    ['token-num-uses', 'token_num_uses', 30, 0],
    ['token-ttl', 'token_ttl', 30, 0],
    ['token-max-ttl', 'token_max_ttl', 30, 0],
  ])('has a row for the setting %s', async (path, name, value, usual) => {
    await write('role/settings');
    expect((await write(`role/settings/${path}`, { [name]: value })).status).toBe(204);
    expect(await read(`role/settings/${path}`)).toMatchObject({ [name]: value });
    expect((await service.ask('DELETE', at(`role/settings/${path}`))).status).toBe(204);
    expect(await read('role/settings')).toMatchObject({ [name]: usual });
  });

  test.each([
    ...[
      'policies',
      'bound-cidr-list',
      'secret-id-bound-cidrs',
      'token-bound-cidrs',
      'bind-secret-id',
      'secret-id-num-uses',
    ],
    ...['secret-id-ttl', 'period', 'token-num-uses', 'token-ttl', 'token-max-ttl', 'role-id'],
  ])('has a row for %s, which requires a value', async (setting) => {
    expect((await write('role/settings', { token_ttl: '20m' })).status).toBe(204);
    const answer = await write(`role/settings/${setting}`, {});
    expect(answer).toMatchObject({ status: 400, errors: [expect.stringContaining('missing')] });
  });

  test('has a role id that can be set and is unique in the mount', async () => {
    await write('role/named', { role_id: 'my-own' });
    expect(await roleIdOf('named')).toBe('my-own');
    expect((await write('role/named/role-id', { role_id: 'another' })).status).toBe(204);
    expect(await roleIdOf('named')).toBe('another');
    expect((await write('role/second', { role_id: 'another' })).errors).toEqual([
      'role_id is already in use by another role',
    ]);
  });
});

describe('a login', () => {
  test('returns a token of the role', async () => {
    await write('role/app', { token_policies: ['p'], token_ttl: 60 });
    const made = await secretIdOf('app', { metadata: '{"team":"blue"}' });
    const { body } = await login('app', made.secret_id);
    expect(body['auth']).toMatchObject({
      policies: ['default', 'p'],
      metadata: { role_name: 'app', team: 'blue' },
      lease_duration: 60,
      token_type: 'service',
    });
  });

  test('without a secret id needs an address of the role', async () => {
    await write('role/open', { bind_secret_id: false, secret_id_bound_cidrs: '127.0.0.0/8' });
    expect((await login('open', undefined)).status).toBe(200);
    await write('role/open', { secret_id_bound_cidrs: '10.0.0.0/8' });
    expect((await login('open', undefined)).status).toBe(403);
  });

  test('from another address is refused and uses nothing up', async () => {
    await write('role/near', {});
    const made = await secretIdOf('near', { cidr_list: '10.1.0.0/16', num_uses: 1 });
    expect((await login('near', made.secret_id)).status).toBe(403);
    const found = await write('role/near/secret-id/lookup', { secret_id: made.secret_id });
    expect(found.body['data']).toMatchObject({ secret_id_num_uses: 1, cidr_list: ['10.1.0.0/16'] });
  });

  test.each([
    [{}, 'missing role_id'],
    [{ role_id: 'none', secret_id: 'none' }, 'invalid role or secret ID'],
    [{ role_id: 'login-role' }, 'missing secret_id'],
    [{ role_id: 'login-role', secret_id: 'marker' }, 'invalid role or secret ID'],
    [{ role_id: 'login-role', secret_id: [1] }, /secret_id/],
    [{ role_id: 'x'.repeat(2_000), secret_id: 'x' }, /role_id/],
  ])('with %j is refused', async (body, why) => {
    await write('role/login-role', { role_id: 'login-role' });
    const { status, errors, text } = await write('login', body);
    expect([status, errors]).toEqual([400, [typeof why === 'string' ? why : expect.stringMatching(why)]]);
    expect(text).not.toContain('marker');
  });
});

describe('secret ids', () => {
  beforeAll(async () => {
    await write('role/box', { secret_id_num_uses: 10, secret_id_ttl: 600, secret_id_bound_cidrs: '10.0.0.0/8' });
    await write('role/free');
  });

  test('are generated, listed, looked up and destroyed, by their text and by their accessors', async () => {
    await write('role/own');
    const { status, body } = await write('role/own/secret-id', { num_uses: 2, ttl: '1m' });
    expect(status).toBe(200);
    const made = body['data'] as Made;
    expect(made).toMatchObject({ secret_id_ttl: 60, secret_id_num_uses: 2 });
    expect((await service.ask('LIST', at('role/own/secret-id'))).body['data']).toEqual({
      keys: [made.secret_id_accessor],
    });
    expect(made.secret_id_accessor).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    const byAccessor = { secret_id_accessor: made.secret_id_accessor };
    const looked = await write('role/own/secret-id-accessor/lookup', byAccessor);
    expect(looked.body['data']).toMatchObject({ ...byAccessor, secret_id_num_uses: 2, secret_id_ttl: 60 });
    expect((await write('role/own/secret-id-accessor/destroy', byAccessor)).status).toBe(204);
    expect((await write('role/own/secret-id-accessor/lookup', byAccessor)).status).toBe(404);
    expect((await write('role/own/secret-id/lookup', { secret_id: made.secret_id })).status).toBe(204);
    const other = await secretIdOf('own');
    expect((await write('role/own/secret-id/destroy', { secret_id: other.secret_id })).status).toBe(204);
    expect((await login('own', other.secret_id)).status).toBe(400);
  });

  test('with a custom text are unique', async () => {
    expect((await write('role/free/custom-secret-id', { secret_id: 'my own text' })).status).toBe(200);
    expect((await login('free', 'my own text')).status).toBe(200);
    expect((await write('role/free/custom-secret-id', { secret_id: 'my own text' })).errors).toEqual([
      'SecretID is already registered',
    ]);
  });

  test.each([
    ['box', { num_uses: 11 }, /num_uses/],
    ['box', { num_uses: 0 }, /num_uses/],
    ['free', { num_uses: -1 }, /num_uses/],
    ['box', { ttl: 601 }, /ttl/],
    ['box', { cidr_list: '11.0.0.0/8' }, /11\.0\.0\.0\/8 is not within/],
    ['box', { cidr_list: 'here' }, /CIDR block/],
    ['free', { metadata: '{"a":' }, /metadata/],
    ['free', { metadata: { a: { b: 1 } } }, /metadata/],
    ['none', {}, /role "none" does not exist/],
  ])('of %s with %j are refused', async (role, body, why) => {
    const { status, errors } = await write(`role/${role}/secret-id`, body);
    expect([status, errors]).toEqual([400, [expect.stringMatching(why)]]);
  });

  test('expire, and tidy and sweep delete them', async () => {
    await write('role/short');
    const made = await secretIdOf('short', { ttl: 600 });
    const count = async () => (await service.store.db.selectFrom('approle_secret_ids').selectAll().execute()).length;
    const end = () =>
      service.store.db
        .updateTable('approle_secret_ids')
        .set({ expire_at: new Date(0) })
        .where('accessor', '=', made.secret_id_accessor)
        .execute();
    const before = await count();
    await end();
    expect((await login('short', made.secret_id)).status).toBe(400);
    expect((await write('tidy/secret-id')).status).toBe(202);
    expect(await count()).toBe(before - 1);
    await secretIdOf('short', { ttl: 600 });
    await service.store.db
      .updateTable('approle_secret_ids')
      .set({ expire_at: new Date(0) })
      .execute();
    await service.sweep();
    expect(await count()).toBe(0);
  });

  test('that are wrapped have their accessor next to the wrapping token', async () => {
    const { body } = await service.ask(
      'POST',
      at('role/free/secret-id'),
      {},
      { headers: { 'x-vault-wrap-ttl': '60' } },
    );
    const { token, wrapped_accessor } = body['wrap_info'] as { token: string; wrapped_accessor: string };
    const { body: unwrapped } = await service.ask('POST', 'sys/wrapping/unwrap', { token });
    const made = unwrapped['data'] as Made;
    expect(wrapped_accessor).toBe(made.secret_id_accessor);
    expect((await login('free', made.secret_id)).status).toBe(200);
  });
});

test('a role needs at least one constraint', async () => {
  expect((await write('role/boundless', { bind_secret_id: false })).errors).toEqual([
    'at least one constraint should be enabled on the role',
  ]);
  await write('role/fixed', { local_secret_ids: true });
  expect((await write('role/fixed', { local_secret_ids: false })).status).toBe(400);
});
