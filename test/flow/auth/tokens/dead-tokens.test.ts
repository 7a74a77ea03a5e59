import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf([]);

/** Agents of the API family log in again when they read the second text. */
const invalid = '2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n';
const denied = '1 error occurred:\n\t* permission denied\n\n';

const tokenOf = (body: Readonly<Record<string, unknown>>) => (body['auth'] as { client_token: string }).client_token;
const make = async (fields: object, path = 'create') =>
  tokenOf((await service.ask('POST', `auth/token/${path}`, { policies: ['default'], ...fields })).body);
const as = (token: string | undefined, method: string, path: string, body?: unknown) =>
  service.ask(method, path, body, { headers: { 'x-service-token': token } });

/** Paths of every engine, of no engine and of help, and paths that accept a token without needing one. */
const paths = [
  ['GET', 'auth/token/lookup-self'],
  ['POST', 'auth/token/renew-self'],
  ['POST', 'auth/token/create'],
  ['GET', 'secret/data/a'],
  ['LIST', 'secret/metadata'],
  ['POST', 'secret/data/a'],
  ['GET', 'cubbyhole/a'],
  ['GET', 'sys/mounts'],
  ['PUT', 'sys/seal'],
  ['GET', 'sys/no-such-path'],
  ['GET', 'no-such-mount/a'],
  ['GET', 'secret/data/a?help=1'],
  ['GET', 'sys/internal/ui/mounts/secret/a'],
  ['POST', 'sys/capabilities-self'],
  ['POST', 'identity/entity'],
] as const;

describe.each(paths)('%s %s', (method, path) => {
  test('reports an ended token as invalid, and a missing one as denied permission only', async () => {
    const revoked = await make({});
    expect((await as(revoked, 'POST', 'auth/token/revoke-self')).status).toBe(204);
    for (const token of [revoked, 'hvs.none', 'hvb.none', 'none']) {
      expect(await as(token, method, path)).toMatchObject({ status: 403, errors: [invalid] });
    }
    expect(await as(undefined, method, path)).toMatchObject({ status: 403, errors: ['permission denied'] });
  });
});

test('a used-up token is invalid', async () => {
  const token = await make({ num_uses: 1 });
  expect((await as(token, 'GET', 'auth/token/lookup-self')).status).toBe(200);
  expect(await as(token, 'GET', 'auth/token/lookup-self')).toMatchObject({ status: 403, errors: [invalid] });
});

test('unwrapping another token requires a valid token of the caller', async () => {
  const ended = await as('hvs.none', 'POST', 'sys/wrapping/unwrap', { token: 'hvs.other' });
  expect(ended).toMatchObject({ status: 403, errors: [invalid] });
});

describe('a valid token that cannot be used is not reported as invalid, since a new login would not help', () => {
  test('from an address outside its CIDR blocks', async () => {
    await service.ask('POST', 'auth/token/roles/away', { token_bound_cidrs: '10.0.0.0/8' });
    const away = await make({}, 'create/away');
    expect(await as(away, 'GET', 'auth/token/lookup-self')).toMatchObject({ status: 403, errors: [denied] });
  });

  test('while its entity is disabled', async () => {
    await service.ask('POST', 'sys/auth/people', { type: 'userpass' });
    await service.ask('POST', 'auth/people/users/ann', { password: 'a long enough one' });
    const login = await service.ask('POST', 'auth/people/login/ann', { password: 'a long enough one' });
    const { entity_id: id } = login.body['auth'] as { entity_id: string };
    await service.ask('POST', `identity/entity/id/${id}`, { disabled: true });
    const refused = await as(tokenOf(login.body), 'GET', 'auth/token/lookup-self');
    expect(refused).toMatchObject({ status: 403, errors: [denied] });
  });
});
