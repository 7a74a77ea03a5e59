import { beforeAll, describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';

// Users with passwords, as clients of the API family use them.
const service = serviceOf([]);
const at = (path: string) => `auth/userpass/${path}`;
const write = (path: string, body: object) => service.ask('POST', at(path), body);
const login = (name: string, password: unknown) => service.ask('PUT', at(`login/${name}`), { password });
const lookup = async (token: string) =>
  (await service.ask('GET', 'auth/token/lookup-self', undefined, { headers: { 'x-service-token': token } })).body[
    'data'
  ];

beforeAll(async () => {
  await service.ask('POST', 'sys/auth/userpass', { type: 'userpass' });
});

const tokenOf = (body: Record<string, unknown>) => (body['auth'] as { client_token: string }).client_token;

test('a user is written, read, listed and deleted', async () => {
  const fields = { password: 'secret-1', policies: 'b,a', token_ttl: '1h', token_bound_cidrs: ['127.0.0.0/8'] };
  expect((await write('users/Ann', fields)).status).toBe(204);
  expect((await service.ask('GET', at('users/ann'))).body['data']).toEqual({
    token_ttl: 3600,
    token_max_ttl: 0,
    token_policies: ['a', 'b'],
    token_bound_cidrs: ['127.0.0.0/8'],
    token_explicit_max_ttl: 0,
    token_no_default_policy: false,
    token_num_uses: 0,
    token_period: 0,
    token_type: 'default',
    policies: ['a', 'b'],
    ttl: 3600,
    bound_cidrs: ['127.0.0.0/8'],
  });
  expect((await service.ask('LIST', at('users'))).body['data']).toEqual({ keys: ['ann'] });
  expect((await service.ask('DELETE', at('users/ANN'))).status).toBe(204);
  expect((await service.ask('DELETE', at('users/ann'))).status).toBe(204);
  expect((await service.ask('GET', at('users/ann'))).status).toBe(404);
  expect((await service.ask('LIST', at('users'))).status).toBe(404);
});

test('a login returns a token of the user', async () => {
  await write('users/bob', { password: 'secret-2', token_policies: ['p'], token_max_ttl: 60, token_num_uses: 3 });
  const { status, body, text } = await login('BOB', 'secret-2');
  expect(status).toBe(200);
  expect(body['auth']).toMatchObject({
    policies: ['default', 'p'],
    metadata: { username: 'bob' },
    lease_duration: 60,
    num_uses: 3,
    token_type: 'service',
    orphan: true,
  });
  expect(await lookup(tokenOf(body))).toMatchObject({ display_name: 'userpass-bob', path: 'auth/userpass/login/BOB' });
  expect(text).not.toContain('secret-2');
});

test('a token is not renewed beyond the maximum lifetime of its user', async () => {
  await write('users/brief', { password: 'secret-2', token_ttl: 100, token_max_ttl: 200 });
  const token = tokenOf((await login('brief', 'secret-2')).body);
  const renewed = await service.ask('POST', 'auth/token/renew', { token, increment: 5_000 });
  expect((renewed.body['auth'] as { lease_duration: number }).lease_duration).toBeLessThanOrEqual(200);
});

test('the password and the policies can be changed separately', async () => {
  await write('users/cid', { password: 'old', token_policies: ['p'], token_ttl: 7 });
  expect((await write('users/cid/password', { password: 'new' })).status).toBe(204);
  expect((await write('users/cid/policies', { policies: ['q'] })).status).toBe(204);
  expect((await login('cid', 'old')).status).toBe(400);
  expect((await login('cid', 'new')).body['auth']).toMatchObject({ policies: ['default', 'q'], lease_duration: 7 });
});

test.each([
  '$2a$10$CwTycUXWue0Thq9StjUM0uJ8.4jxQpVGxhkrOMS2fKIBbKVeHnxTm',
  '$2y$05$bvIG6Nmid91Mu9RcmmWZfO5HJIMCT8riNW0hEp8f6/FuA2/mHZFpe',
])('a hash that a client brings is kept: %s', async (hash) => {
  const { status } = await write('users/hashed', { password_hash: hash });
  expect(status).toBe(204);
  expect((await login('hashed', 'not it')).errors).toEqual(['invalid username or password']);
  await service.ask('DELETE', at('users/hashed'));
});

test('the password of a hash from another program is correct', async () => {
  // From the test vectors of OpenBSD: the password is "U*U".
  await write('users/vector', { password_hash: '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW' });
  expect((await login('vector', 'U*U')).status).toBe(200);
});

describe('refusals', () => {
  beforeAll(async () => {
    await write('users/dee', { password: 'secret-3' });
  });

  test('an unknown user and a wrong password get the same reply', async () => {
    const answers = [await login('dee', 'marker-wrong'), await login('nobody', 'marker-wrong')];
    for (const { status, errors, text } of answers) {
      expect([status, errors]).toEqual([400, ['invalid username or password']]);
      expect(text).not.toContain('marker-wrong');
    }
  });

  test('a password with the same first 72 bytes is wrong', async () => {
    const longest = 'x'.repeat(72);
    await write('users/long', { password: longest });
    expect((await login('long', `${longest}y`)).status).toBe(400);
    expect((await login('long', longest)).status).toBe(200);
  });

  test.each([
    ['users/new', {}, 'missing password'],
    ['users/new', { password: '' }, 'missing password'],
    ['users/new', { password: 'x'.repeat(73) }, 'password: at most 72 bytes are allowed'],
    ['users/new', { password: 'a\0b' }, 'password: the character U+0000 is not allowed'],
    ['users/new', { password: ['x'] }, /password/],
    ['users/new', { password: 'x', password_hash: 'y' }, 'password and password_hash are mutually exclusive'],
    ['users/new', { password_hash: 'marker-hash' }, /^password_hash: expected a bcrypt hash/],
    ['users/new', { password_hash: `$2b$31$${'a'.repeat(53)}` }, /^password_hash: expected a bcrypt hash/],
    ['users/new', { password: 'x', token_ttl: -1 }, /token_ttl/],
    ['users/new', { password: 'x', token_ttl: 20, token_max_ttl: 10 }, /cannot be greater/],
    ['users/new', { password: 'x', token_num_uses: -1 }, /cannot be negative/],
    ['users/new', { password: 'x', token_type: 'none' }, /invalid 'token_type'/],
    ['users/new', { password: 'x', token_type: 'batch', token_period: 5 }, /periodic/],
    ['users/new', { password: 'x', token_bound_cidrs: 'here' }, /CIDR block/],
    ['users/none/password', { password: 'x' }, 'username "none" does not exist'],
    ['users/dee/password', {}, 'missing password'],
    ['users/none/policies', { policies: 'x' }, 'username "none" does not exist'],
    ['login/dee', {}, 'missing password'],
    ['login/dee', { password: { a: 1 } }, /password/],
  ])('%s %j is a bad request', async (path, body, why) => {
    const { status, errors, text } = await write(path, body);
    expect([status, errors]).toEqual([400, [typeof why === 'string' ? why : expect.stringMatching(why)]]);
    expect(text).not.toContain('marker');
  });

  test('a login from another address is refused', async () => {
    await write('users/afar', { password: 'secret-4', token_bound_cidrs: '10.9.8.7' });
    expect((await login('afar', 'secret-4')).status).toBe(403);
  });

  test('a user with the policy root gets no token', async () => {
    await write('users/root', { password: 'secret-4', policies: 'root' });
    expect((await login('root', 'secret-4')).errors).toEqual(['auth methods cannot create root tokens']);
  });
});

test('old and new names together, and values above the longest lease, cause warnings', async () => {
  const { status, body } = await write('users/warned', {
    password: 'x',
    policies: 'a',
    token_policies: 'b',
    token_max_ttl: '900h',
  });
  expect(status).toBe(200);
  expect(body['warnings']).toEqual([
    "Both 'token_policies' and deprecated 'policies' value supplied, ignoring the deprecated value",
    expect.stringMatching(/^token_max_ttl of "900h" exceeds the max_ttl of "768h"/),
  ]);
});

test('hashes are stored sealed', async () => {
  const rows = await service.store.db.selectFrom('userpass_users').select('password').execute();
  expect(rows.length).toBeGreaterThan(0);
  for (const { password } of rows) expect(password.toString('latin1')).not.toContain('$2');
});
