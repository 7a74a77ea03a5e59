import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Provider, startProvider } from '#test/support/auth/provider.ts';
import { forged, type Issuer, inSeconds, newIssuer } from '#test/support/auth/tokens.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf([], { KEYFERRY_AUTH_REQUEST_MS_MAX: '3000' });
let provider: Provider;
let issuer: Issuer;

const role = (changes: object = {}) => ({
  role_type: 'jwt',
  bound_audiences: ['keyferry'],
  user_claim: 'email',
  token_policies: ['people'],
  ...changes,
});
const claims = (changes: object = {}) => ({
  iss: 'somebody',
  aud: 'keyferry',
  sub: 's-1',
  email: 'ada@example.com',
  exp: inSeconds(90),
  ...changes,
});

async function expectStatus(status: number, method: string, path: string, body?: object) {
  const answer = await service.ask(method, path, body);
  expect([answer.status, answer.errors]).toEqual([status, []]);
  return answer;
}

/** A new mount with this configuration and a role `dev`. */
async function mounted(config: object = { jwt_validation_pubkeys: [issuer.pem] }, changes: object = {}) {
  const path = service.name('j');
  await expectStatus(204, 'POST', `sys/auth/${path}`, { type: 'jwt' });
  await expectStatus(204, 'POST', `auth/${path}/config`, config);
  await expectStatus(204, 'POST', `auth/${path}/role/dev`, role(changes));
  return path;
}

const login = (path: string, jwt: string, name: string | undefined = 'dev') =>
  service.ask('POST', `auth/${path}/login`, { role: name, jwt }, { headers: { 'x-service-token': undefined } });

beforeAll(async () => {
  issuer = await newIssuer();
  provider = await startProvider();
});
afterEach(() => {
  provider.fault = undefined;
  provider.document = {};
});
afterAll(() => provider.close());

describe('a login', () => {
  test('returns a token with the settings of the role and the mapped claims', async () => {
    const path = await mounted(undefined, {
      claim_mappings: { '/team/name': 'team', missing: 'nothing', level: 'level' },
      groups_claim: 'groups',
    });
    const jwt = await issuer.sign(claims({ team: { name: 'red' }, level: 7, groups: ['a', 'b'] }));
    const { status, body } = await login(path, jwt);
    expect(status).toBe(200);
    expect(body['auth']).toMatchObject({
      metadata: { role: 'dev', team: 'red', level: '7' },
      policies: ['default', 'people'],
    });
    const { client_token } = body['auth'] as { client_token: string };
    const headers = { headers: { 'x-service-token': client_token } };
    const { data } = await service.ask('GET', 'auth/token/lookup-self', undefined, headers);
    expect(data).toMatchObject({ display_name: `${path}-ada@example.com`, path: `auth/${path}/login` });
  });

  test.each(['RS256', 'PS384', 'ES512', 'EdDSA'])('accepts %s signatures', async (algorithm) => {
    const signer = await newIssuer(algorithm);
    const path = await mounted({ jwt_validation_pubkeys: [issuer.pem, signer.pem], jwt_supported_algs: algorithm });
    expect((await login(path, await signer.sign(claims()))).status).toBe(200);
    expect(await login(path, await issuer.sign(claims()))).toMatchObject({
      errors: ['error validating token: the algorithm of the token is not accepted'],
    });
  });

  test('uses the default role, and reports missing fields', async () => {
    const path = await mounted({ jwt_validation_pubkeys: [issuer.pem], default_role: 'Dev' });
    const jwt = await issuer.sign(claims());
    expect((await login(path, jwt, undefined)).status).toBe(200);
    expect(await login(path, '')).toMatchObject({ status: 400, errors: ['missing token'] });
    expect(await login(path, jwt, 'none')).toMatchObject({ errors: ['role "none" could not be found'] });
    expect(await login(await mounted(), jwt, '')).toMatchObject({ status: 400, errors: ['missing role'] });
    const unset = service.name('j');
    await expectStatus(204, 'POST', `sys/auth/${unset}`, { type: 'jwt' });
    expect(await login(unset, jwt)).toMatchObject({ status: 400, errors: ['could not load configuration'] });
  });

  test('is refused for its claims, which the text names without their values', async () => {
    const path = await mounted(
      { jwt_validation_pubkeys: [issuer.pem], bound_issuer: 'somebody' },
      {
        groups_claim: 'groups',
        bound_subject: 's-1',
      },
    );
    const good = claims({ groups: ['a'] });
    const cases: [object, string][] = [
      [{ iss: 'marker-value' }, 'invalid issuer (iss) claim'],
      [{ aud: 'marker-value' }, 'aud claim does not match any bound audience'],
      [{ sub: 'marker-value' }, 'sub claim does not match bound subject'],
      [{ exp: inSeconds(-300) }, 'the token has expired'],
      [{ nbf: inSeconds(300) }, 'the token is not valid yet'],
      [{ email: undefined }, 'claim "email" not found in token'],
      [{ email: { marker: 'marker-value' } }, 'claim "email" could not be converted to string'],
      [{ groups: undefined }, '"groups" claim not found in token'],
      [{ groups: { marker: 'marker-value' } }, '"groups" claim could not be converted to string list'],
    ];
    expect((await login(path, await issuer.sign(good))).status).toBe(200);
    for (const [changes, text] of cases) {
      const answer = await login(path, await issuer.sign({ ...good, ...changes }));
      expect([answer.status, answer.errors]).toEqual([400, [expect.stringContaining(text)]]);
      expect(answer.text).not.toContain('marker-value');
    }
  });

  test('is bound to addresses by its role', async () => {
    const path = await mounted(undefined, { token_bound_cidrs: '10.0.0.0/8' });
    expect((await login(path, await issuer.sign(claims()))).status).toBe(403);
  });
});

describe('a forged token', () => {
  const refused = async (path: string, jwt: string) => {
    const before = service.logged.length;
    const answer = await login(path, jwt);
    expect([answer.status, answer.errors]).toEqual([400, [expect.stringContaining('error validating token: ')]]);
    expect(answer.text + JSON.stringify(service.logged.slice(before))).not.toContain(jwt);
  };

  test('is refused whatever its header says', async () => {
    const path = await mounted();
    const hmac = (key: string) => {
      const head = forged({ alg: 'HS256', typ: 'JWT' }, claims()).slice(0, -1);
      return `${head}.${createHmac('sha256', key).update(head).digest('base64url')}`;
    };
    await refused(path, forged({ alg: 'none' }, claims()));
    await refused(path, forged({ alg: 'nOnE' }, claims()));
    await refused(path, hmac(issuer.pem));
    await refused(path, hmac(issuer.pem.trim()));
    const good = await issuer.sign(claims());
    const [head, , signature] = good.split('.');
    await refused(
      path,
      `${head}.${Buffer.from(JSON.stringify(claims({ email: 'eve' }))).toString('base64url')}.${signature}`,
    );
    await refused(path, await (await newIssuer()).sign(claims()));
    await refused(path, forged({ alg: 'ES256', jwk: issuer.jwk }, claims(), 'AAAA'));
    await refused(path, forged({ alg: 'ES256', crit: ['b64'], b64: false }, claims(), 'AAAA'));
    for (const text of ['nonsense', 'a.b.c', '...', `${good}.more`, `${good.slice(0, -2)}\n`])
      await refused(path, text);
  });

  test('is not read when it is too long', async () => {
    const { status, text } = await login(await mounted(), 'x'.repeat(1_000_000));
    expect([400, 413]).toContain(status);
    expect(text.length).toBeLessThan(1_000);
  });
});

describe('keys of a provider', () => {
  const discovery = () => ({ oidc_discovery_url: provider.address, oidc_discovery_ca_pem: provider.certificate });
  const keySet = () => ({ jwks_url: `${provider.address}/keys`, jwks_ca_pem: provider.certificate });
  const ofProvider = (changes: object = {}) =>
    provider.issuers[0]?.sign(claims({ iss: provider.address, ...changes })) ?? '';

  test('are found by discovery, and the issuer has to be the provider', async () => {
    const path = await mounted(discovery());
    expect((await login(path, await ofProvider())).status).toBe(200);
    expect(await login(path, await ofProvider({ iss: 'other' }))).toMatchObject({
      errors: ['error validating token: invalid issuer (iss) claim'],
    });
  });

  test('are read once for many logins, and again for an unknown key only after a pause', async () => {
    const path = await mounted(keySet());
    const jwt = await ofProvider();
    const before = provider.calls.length;
    const stranger = await (await newIssuer('ES256', 'unknown')).sign(claims());
    const answers = await Promise.all([...Array(20).keys()].map(() => login(path, jwt)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    for (let tried = 0; tried < 10; tried += 1) expect((await login(path, stranger)).status).toBe(400);
    expect(provider.calls.length - before).toBe(1);
  });

  test('may be several without key ids, and in several sets', async () => {
    const other = await startProvider();
    const second = await newIssuer('ES256', 'two');
    other.issuers.push(second);
    const pair = (of: Provider) => ({ jwks_url: `${of.address}/keys`, jwks_ca_pem: of.certificate });
    const path = await mounted({ jwks_pairs: [pair(provider), pair(other)] });
    expect((await login(path, await second.sign(claims()))).status).toBe(200);
    expect((await login(path, await second.sign(claims(), { kid: undefined }))).status).toBe(200);
    expect((await login(path, await ofProvider())).status).toBe(200);
    other.close();
  });

  test.each<[string, NonNullable<Provider['fault']>, string]>([
    ['hangs', () => undefined, 'it did not answer in time'],
    ['redirects', (_q, r) => r.writeHead(302, { location: 'https://example.com/' }).end(), 'its reply is a redirect'],
    ['answers 500', (_q, r) => r.writeHead(500).end('marker-value'), 'it replied with status 500'],
    ['answers garbage', (_q, r) => r.writeHead(200).end('<html>marker-value'), 'its reply is not a key set'],
    ['answers too much', (_q, r) => r.writeHead(200).end('x'.repeat(3_000_000)), 'its reply is too large'],
  ])('of one that %s cause a 400 for its configuration and a 502 for a login', async (_what, fault, text) => {
    const url = `${provider.address}/keys?${service.name('set')}`;
    const path = await mounted({ ...keySet(), jwks_url: url });
    provider.fault = fault;
    const jwt = await ofProvider();
    const before = service.logged.length;
    const answer = await login(path, jwt);
    expect(answer).toMatchObject({ status: 502, errors: [expect.stringContaining(text)] });
    const said = answer.text + JSON.stringify(service.logged.slice(before));
    for (const secret of [jwt, 'marker-value']) expect(said).not.toContain(secret);
    expect(await service.ask('POST', `auth/${path}/config`, keySet())).toMatchObject({
      status: 400,
      errors: [expect.stringContaining(`error checking jwks URL: ${text}`)],
    });
  });

  test('of a provider with the document or certificate of another are refused', async () => {
    const path = service.name('j');
    await expectStatus(204, 'POST', `sys/auth/${path}`, { type: 'jwt' });
    const refused = async (config: object, text: string) =>
      expect(await service.ask('POST', `auth/${path}/config`, config)).toMatchObject({
        status: 400,
        errors: [expect.stringContaining(text)],
      });
    provider.document = { issuer: 'https://other.example' };
    await refused(discovery(), 'its discovery document names another issuer');
    provider.document = { jwks_uri: 'http://localhost/keys' };
    await refused(discovery(), 'its keys are at a URL without encryption');
    provider.document = { jwks_uri: 'file:///etc/passwd' };
    await refused(discovery(), 'its reply is not a discovery document');
    await refused({ ...keySet(), jwks_ca_pem: '' }, 'its certificate is not trusted');
    await refused({ ...keySet(), jwks_ca_pem: 'x' }, 'CA certificates');
  });
});

describe('configuration and roles', () => {
  test.each([
    [{}, 'exactly one of'],
    [{ jwks_url: 'https://x', oidc_discovery_url: 'https://y' }, 'exactly one of'],
    [{ jwt_validation_pubkeys: 'nonsense' }, 'error parsing public key: key 1'],
    [{ jwks_url: 'file:///etc/passwd' }, 'has to be a URL'],
    [{ jwks_url: 'https://x', jwt_supported_algs: 'HS256' }, 'unsupported signing algorithm: "HS256"'],
    [{ jwks_url: 'https://x', jwt_supported_algs: 'none' }, 'unsupported signing algorithm: "none"'],
    [{ jwks_url: [1, { a: 2 }] }, 'jwks_url'],
    [{ jwks_pairs: 'x' }, 'jwks_pairs'],
  ])('a configuration %j is refused', async (config, text) => {
    const { status, errors } = await service.ask('POST', `auth/${await mounted()}/config`, config);
    expect([status, errors.join()]).toEqual([400, expect.stringContaining(text)]);
  });

  test.each([
    [{ role_type: 'oidc' }, "'allowed_redirect_uris' must be set if 'role_type' is 'oidc' or unspecified."],
    [{ callback_mode: 'x' }, "invalid 'callback_mode'"],
    [{ role_type: 'x' }, "invalid 'role_type'"],
    [{ user_claim: '' }, 'a user claim must be defined on the role'],
    [{ bound_audiences: [] }, 'must have at least one bound constraint'],
    [{ bound_claims_type: 'x' }, "invalid 'bound_claims_type'"],
    [{ bound_claims: { a: { b: 1 } } }, 'claim "a" of \'bound_claims\''],
    [{ bound_claims: 'x' }, 'bound_claims'],
    [{ claim_mappings: { a: 'role' } }, 'is reserved'],
    [{ claim_mappings: { a: 'b', c: 'b' } }, 'multiple keys are mapped'],
    [{ expiration_leeway: 'x' }, 'expiration_leeway'],
  ])('a role %j is refused', async (changes, text) => {
    const { status, errors } = await service.ask('POST', `auth/${await mounted()}/role/other`, role(changes));
    expect([status, errors.join()]).toEqual([400, expect.stringContaining(text)]);
  });

  test('are shown as they were written', async () => {
    const path = await mounted(undefined, {
      bound_claims: '{"a": ["x", 1], "b": true}',
      bound_claims_type: 'glob',
      expiration_leeway: -1,
      clock_skew_leeway: '30s',
      ttl: '1h',
    });
    expect((await expectStatus(200, 'GET', `auth/${path}/role/dev`)).data).toMatchObject({
      role_type: 'jwt',
      bound_claims_type: 'glob',
      expiration_leeway: -1,
      clock_skew_leeway: 30,
      ttl: 3_600,
      bound_claims: { a: ['x', 1], b: true },
      user_claim: 'email',
      bound_audiences: ['keyferry'],
    });
    expect((await expectStatus(200, 'GET', `auth/${path}/config`)).data).toMatchObject({
      jwt_validation_pubkeys: [issuer.pem.trim()],
      jwks_url: '',
      oidc_discovery_url: '',
      default_role: '',
    });
    expect((await expectStatus(200, 'LIST', `auth/${path}/role`)).data).toEqual({ keys: ['dev'] });
  });
});
