import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';

// Auth methods are enabled, shown, tuned, moved and disabled as mounts below auth/.
const service = serviceOf([]);

const bearer = (token: string) => ({ headers: { 'x-service-token': token } });

async function user(mount: string, name: string): Promise<void> {
  const made = await service.ask('POST', `auth/${mount}/users/${name}`, { password: 'open sesame' });
  expect(made.status).toBe(204);
}

async function login(mount: string, name: string): Promise<string> {
  const { body } = await service.ask('POST', `auth/${mount}/login/${name}`, { password: 'open sesame' });
  return (body['auth'] as { client_token: string }).client_token;
}

const isLetIn = async (token: string) =>
  (await service.ask('GET', 'auth/token/lookup-self', undefined, bearer(token))).status === 200;

test('a method is enabled, shown, listed and disabled', async () => {
  const config = { default_lease_ttl: '1h', token_type: 'default-service', listing_visibility: 'unauth' };
  expect(
    (await service.ask('POST', 'sys/auth/shown', { type: 'userpass', description: 'people', config })).status,
  ).toBe(204);
  const { body } = await service.ask('GET', 'sys/auth/shown');
  expect(body['data']).toMatchObject({
    type: 'userpass',
    description: 'people',
    accessor: expect.stringMatching(/^auth_userpass_[0-9a-f]{8}$/),
    config: { default_lease_ttl: 3600, max_lease_ttl: 0, token_type: 'default-service', listing_visibility: 'unauth' },
  });
  const list = (await service.ask('GET', 'sys/auth')).body;
  expect(list['data']).toMatchObject({ 'shown/': { type: 'userpass' }, 'token/': { type: 'token' } });
  expect(Object.keys(list['data'] as object)).not.toContain('secret/');
  expect(Object.keys((await service.ask('GET', 'sys/mounts')).body['data'] as object)).not.toContain('auth/shown/');
  const forms = (await service.ask('GET', 'sys/internal/ui/mounts', undefined, bearer(''))).body['data'];
  expect(forms).toMatchObject({ auth: { 'shown/': { type: 'userpass' } } });
  expect((await service.ask('DELETE', 'sys/auth/shown')).status).toBe(204);
  expect((await service.ask('GET', 'sys/auth/shown')).errors).toEqual(['No auth engine at shown/']);
  expect((await service.ask('DELETE', 'sys/auth/shown')).status).toBe(204);
});

test.each([
  ['POST', 'sys/auth/x', {}, 'backend type must be specified as a string'],
  ['POST', 'sys/auth/x', { type: 'kv' }, /^plugin not found in the catalog: kv; expected /],
  ['POST', 'sys/auth/x', { type: 'token' }, /^plugin not found in the catalog: token; expected /],
  ['POST', 'sys/auth/token', { type: 'userpass' }, 'path is already in use at auth/token/'],
  ['POST', 'sys/auth/token/x', { type: 'userpass' }, 'existing mount at auth/token/'],
  ['POST', 'sys/auth/x', { type: 'userpass', config: { token_type: 'x' } }, /token_type/],
  [
    'POST',
    'sys/auth/x',
    { type: 'userpass', config: { user_lockout_config: { lockout_threshold: -1 } } },
    /user_lockout_config/,
  ],
  ['POST', 'sys/auth/x', { type: 'userpass', config: { user_lockout_config: 'x' } }, /user_lockout_config/],
  ['DELETE', 'sys/auth/token', undefined, 'token credential backend cannot be disabled'],
  ['POST', 'sys/remount', { from: 'auth/x', to: 'secret2' }, 'cannot remount an auth method as a secrets engine'],
  ['POST', 'sys/remount', { from: 'auth/token', to: 'auth/other' }, 'token credential backend cannot be disabled'],
  ['GET', 'sys/auth/none', undefined, 'No auth engine at none/'],
])('%s %s %j is refused', async (method, path, body, why) => {
  const { status, errors } = await service.ask(method, path, body);
  expect([status, errors]).toEqual([400, [typeof why === 'string' ? why : expect.stringMatching(why)]]);
});

test('a method is tuned in parts', async () => {
  await service.ask('POST', 'sys/auth/tuned', { type: 'userpass' });
  const tune = (body: object) => service.ask('POST', 'sys/auth/tuned/tune', body);
  expect((await tune({ user_lockout_config: { lockout_threshold: '3', lockout_disable: false } })).status).toBe(204);
  expect((await tune({ user_lockout_config: { lockout_duration: '5m' }, max_lease_ttl: '2h' })).status).toBe(204);
  expect((await service.ask('GET', 'sys/auth/tuned/tune')).body['data']).toMatchObject({
    max_lease_ttl: 7200,
    token_type: 'default-service',
    user_lockout_threshold: 3,
    user_lockout_duration: 300,
    user_lockout_disable: false,
  });
  expect((await service.ask('GET', 'sys/auth/tuned')).body['data']).toMatchObject({
    config: { user_lockout_config: { lockout_threshold: 3, lockout_duration: 300 } },
  });
});

describe('the tokens of a method', () => {
  test('end with it, and its data is deleted', async () => {
    await service.ask('POST', 'sys/auth/team/ended', { type: 'userpass' });
    await user('team/ended', 'ann');
    const token = await login('team/ended', 'ann');
    expect(await isLetIn(token)).toBe(true);
    expect((await service.ask('DELETE', 'sys/auth/team/ended')).status).toBe(204);
    expect(await isLetIn(token)).toBe(false);
    await service.ask('POST', 'sys/auth/team/ended', { type: 'userpass' });
    expect((await service.ask('GET', 'auth/team/ended/users/ann')).status).toBe(404);
  });

  test('end when it is moved, and its data moves', async () => {
    await service.ask('POST', 'sys/auth/here', { type: 'userpass' });
    await user('here', 'bob');
    const token = await login('here', 'bob');
    expect((await service.ask('POST', 'sys/remount', { from: 'auth/here', to: 'auth/there' })).status).toBe(200);
    expect(await isLetIn(token)).toBe(false);
    expect(await isLetIn(await login('there', 'bob'))).toBe(true);
  });
});

test('the token type of a mount applies to roles that leave it to the mount', async () => {
  await service.ask('POST', 'sys/auth/batches', { type: 'userpass', config: { token_type: 'batch' } });
  await user('batches', 'ann');
  expect(await login('batches', 'ann')).toMatch(/^hvb\./);
});
