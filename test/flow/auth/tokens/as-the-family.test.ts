import { describe, expect, test } from 'vitest';
import type { Answer } from '#test/support/flow/calls/ask.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf([]);
const authOf = ({ body }: Answer) => Object(body['auth']);
const make = async (fields: object, path = 'auth/token/create') => authOf(await service.ask('POST', path, fields));
const as = (token: string) => ({ headers: { 'x-service-token': token } });
const lookUp = (token: string) => service.ask('GET', 'auth/token/lookup-self', undefined, as(token));

test('a batch token is accepted only in its original spelling', async () => {
  const { client_token: token } = await make({ type: 'batch', ttl: '1h', policies: ['default'] });
  expect((await lookUp(token)).status).toBe(200);
  for (const other of [
    `${token}!`,
    `${token}==`,
    `${token}.x`,
    `${token}.`,
    token.replace(/^hvb./, 'hvb. '),
    `${token}A`,
  ])
    expect((await lookUp(other)).status, other.slice(-4)).toBe(403);
  const last = token.at(-1) ?? '';
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  for (const character of alphabet.replace(last, ''))
    expect((await lookUp(token.slice(0, -1) + character)).status).toBe(403);
});

test.each(['with blank', 'with\ttab', 'with\u0000null', 'wïth', 'with\nline', 'a\u007fb'])(
  'a token with the id %j is refused',
  async (id) => {
    const { status, errors } = await service.ask('POST', 'auth/token/create', { id });
    expect(status).toBe(400);
    expect(errors.join()).toContain('visible ASCII');
  },
);

test('auth/token can be tuned to the type default-batch, but not to batch', async () => {
  const tune = (token_type: string) => service.ask('POST', 'sys/auth/token/tune', { token_type });
  expect(await tune('batch')).toMatchObject({ status: 400, errors: [expect.stringContaining("cannot be 'batch'")] });
  expect((await tune('default-batch')).status).toBe(204);
  expect((await tune('default-service')).status).toBe(204);
});

test('a renewal without an increment uses that of the last renewal', async () => {
  const { client_token: token } = await make({ ttl: '1h', policies: ['default'] });
  const renew = async (fields: object) =>
    authOf(await service.ask('POST', 'auth/token/renew-self', fields, as(token))).lease_duration;
  expect(await renew({})).toBe(3_600);
  expect(await renew({ increment: '2h' })).toBe(7_200);
  expect(await renew({})).toBe(7_200);
  expect(await renew({ increment: '30m' })).toBe(1_800);
  expect(await renew({})).toBe(1_800);
});

test('patterns of token roles are stored in lower case, sorted, without duplicates', async () => {
  const lists = { allowed_policies_glob: 'Team-*, dev-*,team-*', allowed_entity_aliases: ['Zoe', 'ann*', 'zoe', ' '] };
  await service.ask('POST', 'auth/token/roles/patterns', lists);
  expect((await service.ask('GET', 'auth/token/roles/patterns')).data).toMatchObject({
    allowed_policies_glob: ['dev-*', 'team-*'],
    allowed_entity_aliases: ['ann*', 'zoe'],
  });
});

describe('the CIDR block of one address is shown as the address', () => {
  const given = ['127.0.0.1/32', '::1', '10.0.0.0/8'];
  const shown = ['127.0.0.1', '::1', '10.0.0.0/8'];

  test('at token roles and their tokens', async () => {
    await service.ask('POST', 'auth/token/roles/bound', { token_bound_cidrs: given });
    const { data } = await service.ask('GET', 'auth/token/roles/bound');
    expect(data).toMatchObject({ token_bound_cidrs: shown, bound_cidrs: shown });
    const { client_token: token } = await make({ ttl: '1h' }, 'auth/token/create/bound');
    const looked = await lookUp(token);
    expect(looked.status).toBe(200);
    expect(looked.data['bound_cidrs']).toEqual(shown);
  });

  test.each([
    ['approle', 'role/app'],
    ['userpass', 'users/ann'],
    ['jwt', 'role/app'],
    ['oidc', 'role/app'],
    ['kubernetes', 'role/app'],
  ])('at %s', async (type, path) => {
    await service.ask('POST', `sys/auth/${type}`, { type });
    const own = { password: 'p', role_type: 'jwt', user_claim: 'sub', bound_audiences: 'a' };
    const bound = { bound_service_account_names: 'a', bound_service_account_namespaces: 'b' };
    const written = await service.ask('POST', `auth/${type}/${path}`, { ...own, ...bound, token_bound_cidrs: given });
    expect(written.errors).toEqual([]);
    expect((await service.ask('GET', `auth/${type}/${path}`)).data['token_bound_cidrs']).toEqual(shown);
  });
});

test('a look-up of a token that does not expire shows its issue time and that it is not renewable', async () => {
  const { data } = await service.ask('GET', 'auth/token/lookup-self');
  expect(data).toMatchObject({ expire_time: null, renewable: false, issue_time: expect.stringMatching(/^\d{4}-.*Z$/) });
});
