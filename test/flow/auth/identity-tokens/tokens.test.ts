import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { newIssuer } from '#test/support/auth/tokens.ts';
import { ask } from '#test/support/flow/calls/ask.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { otherProcessOf } from '#test/support/flow/other-process.ts';
import { as, json, mayGetTokens, roleOf, type Someone, someone, verified } from './setup.ts';

const service = serviceOf([]);
const other = otherProcessOf(service);
const write = (path: string, body: object = {}) => service.ask('POST', `identity/oidc/${path}`, body);
const read = (path: string, options = {}) => service.ask('GET', `identity/oidc/${path}`, undefined, options);

let caller: Someone;
beforeAll(async () => {
  caller = await someone(service, [await mayGetTokens(service)]);
});

const tokenOf = async (role: string, by = caller) => String((await read(`token/${role}`, as(by))).data['token']);
const introspect = async (token: string, more: object = {}) => (await write('introspect', { token, ...more })).body;

describe('a token', () => {
  test.each(['RS256', 'RS512', 'ES256', 'ES384', 'ES512', 'EdDSA'])(
    'signed with %s says who the caller is and is verified by discovery',
    async (algorithm) => {
      const role = await roleOf(service, { algorithm }, { client_id: 'app', ttl: '10m' });
      const { data } = await read(`token/${role}`, as(caller));
      expect(data).toMatchObject({ client_id: 'app', ttl: 600, token: expect.stringMatching(/^ey/) });
      const token = String(data['token']);
      expect(decodeProtectedHeader(token)).toMatchObject({ alg: algorithm, kid: expect.any(String) });
      const claims = await verified(token);
      expect(claims).toEqual({
        iss: `${service.address}/v1/identity/oidc`,
        sub: caller.entity,
        aud: 'app',
        namespace: 'root',
        iat: expect.any(Number),
        exp: Number(claims['iat']) + 600,
      });
      expect(await introspect(token)).toEqual({ active: true });
      expect(await introspect(token, { client_id: 'app' })).toEqual({ active: true });
    },
  );

  test('has the claims of the template', async () => {
    const entity = await someone(service, [await mayGetTokens(service)]);
    await service.ask('POST', `identity/entity/id/${entity.entity}`, {
      name: `name of ${entity.alias}`,
      metadata: { team: 'a "b"' },
    });
    const group = service.name('group');
    await service.ask('POST', 'identity/group', { name: group, member_entity_ids: [entity.entity] });
    const { rows } = await sql<{ accessor: string }>`
      select mount_accessor as accessor from entity_aliases where entity_id = ${entity.entity}`.execute(
      service.store.db,
    );
    const role = await roleOf(
      service,
      {},
      {
        template: `{"team": {{identity.entity.metadata.team}}, "who": {"name": {{ identity.entity.name }}, "fixed": [1, 12345678901234567890]},
        "groups": {{identity.entity.groups.names}}, "alias": {{identity.entity.aliases.${rows[0]?.accessor}.name}},
        "none": {{identity.entity.metadata.none}}, "nbf": {{time.now}}}`,
      },
    );
    const claims = await verified(await tokenOf(role, entity));
    expect(claims).toMatchObject({
      team: 'a "b"',
      who: { name: `name of ${entity.alias}` },
      groups: [group],
      alias: entity.alias.toLowerCase(),
      none: '',
      nbf: claims['iat'],
    });
  });

  test('needs an entity, a role and a client that the key allows', async () => {
    const role = await roleOf(service, { allowed_client_ids: ['other'] }, { client_id: 'app' });
    expect(await read(`token/${role}`, as(caller))).toMatchObject({
      status: 400,
      errors: [`the key "${role}" does not list the client ID of the role "${role}" as an allowed client ID`],
    });
    await write(`key/${role}`, { allowed_client_ids: ['other', 'app'] });
    expect((await read(`token/${role}`, as(caller))).status).toBe(200);
    expect(await read(`token/${role}`)).toMatchObject({
      status: 400,
      errors: ["no entity associated with the request's token"],
    });
    expect(await read('token/nowhere', as(caller))).toMatchObject({
      status: 400,
      errors: ['role "nowhere" not found'],
    });
  });

  test('is for callers with the right only, and reading public keys needs none', async () => {
    const role = await roleOf(service);
    expect((await read(`token/${role}`, as(await someone(service)))).status).toBe(403);
    for (const path of ['config', `key/${role}`, `role/${role}`])
      expect((await read(path, as(caller))).status).toBe(403);
    for (const path of ['.well-known/keys', '.well-known/openid-configuration'])
      expect((await fetch(`${service.address}/v1/identity/oidc/${path}`)).status).toBe(200);
    const none = { headers: { 'x-service-token': undefined } };
    for (const path of [`token/${role}`, `key/${role}`]) expect((await read(path, none)).status).toBe(403);
    expect((await service.ask('POST', 'identity/oidc/introspect', { token: 'x' }, none)).status).toBe(403);
  });
});

describe('introspection refuses', () => {
  test('a tampered token, one for another audience, and one that is not a token', async () => {
    const token = await tokenOf(await roleOf(service, {}, { client_id: 'app' }));
    const [head, , signature] = token.split('.');
    const claims = Buffer.from(JSON.stringify({ sub: 'root', aud: 'app', exp: 9_999_999_999 })).toString('base64url');
    const bad = { active: false, error: 'unable to validate the token signature' };
    expect(await introspect(`${head}.${claims}.${signature}`)).toEqual(bad);
    expect(await introspect(token, { client_id: 'other' })).toEqual({
      active: false,
      error: 'error validating claims: the claim "aud" is invalid',
    });
    for (const text of ['', 'x', 'a.b.c', `${head}..`, '.'.repeat(1_000)])
      expect(await introspect(text)).toMatchObject({ active: false });
    expect((await write('introspect', { token: 'x'.repeat(20_000) })).status).toBe(400);
  });

  test('a token of another signer with the id of a key of ours, and unsigned tokens', async () => {
    const token = await tokenOf(await roleOf(service));
    const { kid = '' } = decodeProtectedHeader(token);
    const stranger = await newIssuer('ES256', kid);
    const forged = await stranger.sign({
      sub: caller.entity,
      iss: `${service.address}/v1/identity/oidc`,
      exp: 9_999_999_999,
    });
    expect(await introspect(forged)).toMatchObject({ active: false });
    const secret = new TextEncoder().encode(
      JSON.stringify(await json(`${service.address}/v1/identity/oidc/.well-known/keys`)),
    );
    const shared = await new SignJWT({ sub: caller.entity }).setProtectedHeader({ alg: 'HS256', kid }).sign(secret);
    expect(await introspect(shared)).toMatchObject({ active: false });
    const unsigned = `${Buffer.from(JSON.stringify({ alg: 'none', kid })).toString('base64url')}.${token.split('.')[1]}.`;
    expect(await introspect(unsigned)).toMatchObject({ active: false });
  });

  test('an expired token', async () => {
    const role = await roleOf(service, {}, { ttl: 1 });
    const token = await tokenOf(role);
    await expect
      .poll(() => introspect(token))
      .toEqual({ active: false, error: 'error validating claims: the token is expired' });
  });

  test('a token of a deleted or disabled entity, of a deleted role and of a configured other issuer', async () => {
    const policies = [await mayGetTokens(service)];
    const role = await roleOf(service);
    const [deleted, disabled] = [await someone(service, policies), await someone(service, policies)];
    const tokens = [await tokenOf(role, deleted), await tokenOf(role, disabled)];
    await service.ask('DELETE', `identity/entity/id/${deleted.entity}`);
    await service.ask('POST', `identity/entity/id/${disabled.entity}`, { disabled: true });
    expect(await introspect(tokens[0] ?? '')).toEqual({ active: false, error: 'entity was not found' });
    expect(await introspect(tokens[1] ?? '')).toEqual({ active: false, error: 'entity is disabled' });
    expect((await read(`token/${role}`, as(disabled))).status).toBe(403);
    const token = await tokenOf(role);
    expect(await introspect(token)).toEqual({ active: true });
    await service.ask('DELETE', `identity/oidc/role/${role}`);
    expect(await introspect(token)).toMatchObject({ active: false });
  });
});

describe('the issuer', () => {
  test('is the configured one, and the documents name it', async () => {
    const configured = 'https://id.example.com:8200';
    const answer = await write('config', { issuer: configured });
    expect(answer).toMatchObject({ status: 200, warnings: [expect.stringContaining('explicitly')] });
    expect((await read('config')).data).toEqual({ issuer: configured });
    const issuer = `${configured}/v1/identity/oidc`;
    const document = await fetch(`${service.address}/v1/identity/oidc/.well-known/openid-configuration`);
    expect(document.headers.get('cache-control')).toBe('max-age=3600');
    expect(await document.json()).toEqual({
      issuer,
      jwks_uri: `${issuer}/.well-known/keys`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'EdDSA'],
    });
    const token = await tokenOf(await roleOf(service));
    expect(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({ iss: issuer });
    expect(await introspect(token)).toEqual({ active: true });
    expect((await write('config', { issuer: '' })).status).toBe(204);
    expect(await introspect(token)).toEqual({
      active: false,
      error: 'error validating claims: the claim "iss" is invalid',
    });
  });

  test.each([
    'https://a.example/path',
    'ftp://a.example',
    'a.example',
    'https://',
    'https://u:p@a.example',
    'https://a.example?x',
    'https://a.example#x',
    'https://a.example/',
  ])('is not %s', async (issuer) => {
    expect((await write('config', { issuer })).status).toBe(400);
    expect((await read('config')).data).toEqual({ issuer: '' });
  });

  test('public keys may be kept until the next rotation', async () => {
    await roleOf(service, { rotation_period: '1h', verification_ttl: '1h' }, { ttl: '1m' });
    const answer = await fetch(`${service.address}/v1/identity/oidc/.well-known/keys`);
    const [, seconds] = /^max-age=(\d+)$/.exec(answer.headers.get('cache-control') ?? '') ?? [];
    expect(Number(seconds)).toBeGreaterThan(0);
    expect(Number(seconds)).toBeLessThanOrEqual(3_600);
  });
});

test('a login of the auth method jwt accepts a token, found by discovery at this service', async () => {
  const role = await roleOf(service, { algorithm: 'RS256' }, { client_id: 'keyferry' });
  const path = service.name('j');
  await service.ask('POST', `sys/auth/${path}`, { type: 'jwt' });
  const config = { oidc_discovery_url: `${service.address}/v1/identity/oidc` };
  expect(await service.ask('POST', `auth/${path}/config`, config)).toMatchObject({ status: 204 });
  const dev = { role_type: 'jwt', bound_audiences: ['keyferry'], user_claim: 'sub', token_policies: ['people'] };
  await service.ask('POST', `auth/${path}/role/dev`, dev);
  const login = (jwt: string) =>
    service.ask('POST', `auth/${path}/login`, { role: 'dev', jwt }, { headers: { 'x-service-token': undefined } });
  const answer = await login(await tokenOf(role));
  expect(answer.body['auth']).toMatchObject({ policies: ['default', 'people'] });
  await write(`key/${role}/rotate`);
  expect((await login(await tokenOf(role))).status).toBe(200);
  const wrong = await roleOf(service, {}, { client_id: 'other' });
  expect((await login(await tokenOf(wrong))).status).toBe(400);
});

test('tokens of two processes are valid at both while the key is rotated', async () => {
  const role = await roleOf(service);
  const addresses = [service.address, other.address];
  // Both processes have the same issuer behind one address.
  await write('config', { issuer: service.address });
  const tokens: string[] = [];
  const issue = async (address: string) => {
    for (let count = 0; count < 30; count += 1) {
      const { data } = await ask({ address, token: caller.token, method: 'GET', path: `identity/oidc/token/${role}` });
      tokens.push(String(data['token']));
    }
  };
  const rotate = async (address: string) => {
    for (let count = 0; count < 6; count += 1) {
      const path = `identity/oidc/key/${role}/rotate`;
      expect((await ask({ address, token: service.rootToken, method: 'POST', path, body: {} })).status).toBe(204);
    }
  };
  await Promise.all(addresses.flatMap((address) => [issue(address), issue(address), rotate(address)]));
  expect(tokens).toHaveLength(120);
  expect(new Set(tokens.map((token) => decodeProtectedHeader(token).kid)).size).toBeGreaterThan(1);
  const keys = createLocalJWKSet(Object(await json(`${service.address}/v1/identity/oidc/.well-known/keys`)));
  for (const token of tokens) expect((await jwtVerify(token, keys)).payload).toMatchObject({ sub: caller.entity });
  for (const address of addresses) {
    const body = { token: tokens.at(-1) };
    const answer = await ask({
      address,
      token: service.rootToken,
      method: 'POST',
      path: 'identity/oidc/introspect',
      body,
    });
    expect(answer.body).toEqual({ active: true });
  }
  await write('config', { issuer: '' });
});
