import type { ServerResponse } from 'node:http';
import { SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fileDevice, removeDevices, textOf } from '#test/flow/audit/log.ts';
import { accessToken, type ScriptedProvider, startScriptedProvider } from '#test/support/auth/scripted-provider.ts';
import { forged, inSeconds, newIssuer } from '#test/support/auth/tokens.ts';
import { foundIn } from '#test/support/flow/backup/dumps.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { begin, complete, done, mounted } from './ground.ts';

// A provider that answers wrongly, late, too much, or with what it was sent.
const service = serviceOf([], { KEYFERRY_AUTH_REQUEST_MS_MAX: '3000' });
let provider: ScriptedProvider;

beforeAll(async () => {
  provider = await startScriptedProvider();
});
afterEach(() => {
  provider.userInfo = undefined;
  provider.document = {};
  return removeDevices(service);
});
afterAll(() => provider.close());

const code = 'marker-of-the-code';

interface Login {
  readonly path: string;
  readonly state: string;
  readonly nonce: string;
}

async function begun(role: object = {}, config: object = {}): Promise<Login> {
  const path = await mounted(service, provider, { role, config });
  const { data } = await done(begin(service, path));
  const { searchParams } = new URL(String(data['auth_url']));
  return { path, state: searchParams.get('state') ?? '', nonce: searchParams.get('nonce') ?? '' };
}

/** Completes a login for which the provider signs these claims. */
async function withClaims(changes: object, role: object = {}) {
  const { path, state, nonce } = await begun(role);
  provider.token = async (_exchange, response) =>
    provider.grant(response, await provider.issuer.sign(provider.claims(nonce, changes)));
  return complete(service, path, { state, code });
}

const refused = 'token verification failed: ';
const late = inSeconds(-1_000);

test.each<[string, object, string]>([
  ['another nonce', { nonce: 'marker' }, `${refused}invalid ID token nonce`],
  ['no nonce', { nonce: undefined }, `${refused}invalid ID token nonce`],
  ['another issuer', { iss: 'https://marker.example' }, `${refused}invalid issuer (iss) claim`],
  ['another audience', { aud: 'marker' }, `${refused}the ID token is for another client`],
  [
    'another party',
    { aud: ['keyferry', 'marker'], azp: 'marker' },
    `${refused}the ID token was made for another client`,
  ],
  ['no subject', { sub: undefined }, `${refused}the ID token has no subject`],
  ['old times', { exp: late, iat: late }, `${refused}the token has expired`],
])('an ID token with %s is refused', async (_what, changes, text) => {
  const answer = await withClaims(changes);
  expect([answer.status, answer.errors]).toEqual([400, [text]]);
  expect(answer.text).not.toContain('marker');
});

test('an ID token that the provider did not sign is refused', async () => {
  const login = await begun();
  const claims = provider.claims(login.nonce);
  const shared = new TextEncoder().encode(provider.clientSecret);
  const tokens = [
    forged({ alg: 'none' }, claims),
    await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(shared),
    await (await newIssuer()).sign(claims),
    'marker-of-no-token',
  ];
  for (const token of tokens) {
    const { path, state } = await begun();
    provider.token = (_exchange, response) => provider.grant(response, token);
    const answer = await complete(service, path, { state, code });
    expect([answer.status, answer.errors]).toEqual([400, [expect.stringContaining(refused)]]);
    expect(answer.text).not.toContain(token);
  }
});

const encoded = (text: string): string => Buffer.from(text).toString('base64');

type Fault = ScriptedProvider['token'];
const echoes = ({ form, authorization }: Parameters<Fault>[0]) => `${form} ${authorization} ${decoded(authorization)}`;
const decoded = (authorization: string): string =>
  Buffer.from(authorization.slice('Basic '.length), 'base64').toString();
const answers = (response: ServerResponse, status: number, body: object) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const faults: readonly [string, Fault, number, string][] = [
  ['hangs', () => undefined, 502, 'it did not answer in time'],
  ['is cut off', (_x, r) => r.socket?.destroy(), 502, 'the connection to it failed'],
  [
    'redirects',
    (x, r) => r.writeHead(307, { location: `https://a.test/?${x.form}` }).end(),
    502,
    'its reply is a redirect',
  ],
  ['answers too much', (_x, r) => r.writeHead(200).end('x'.repeat(3_000_000)), 502, 'its reply is too large'],
  ['echoes in an error', (x, r) => answers(r, 500, { error: echoes(x) }), 502, 'it replied with status 500'],
  ['echoes in a refusal', (x, r) => answers(r, 400, { error: echoes(x) }), 400, 'refused the code: another error'],
  [
    'refuses with the secret',
    (x, r) => answers(r, 400, { error: decoded(x.authorization).split(':')[1] }),
    400,
    'another error',
  ],
  ['echoes in a success', (x, r) => answers(r, 200, { marker: echoes(x) }), 502, 'its reply has no ID token'],
  ['echoes as the ID token', (x, r) => provider.grant(r, echoes(x)), 400, 'the token is not a signed JWT'],
  ['answers a page', (x, r) => r.writeHead(200).end(`<html>${echoes(x)}`), 502, 'its reply has no ID token'],
];

test('no secret of a failed login reaches a reply, a device or the log, and its state is spent', async () => {
  const { file } = await fileDevice(service);
  const before = service.logged.length;
  for (const [what, fault, status, text] of faults) {
    const { path, state, nonce } = await begun();
    provider.token = fault;
    const answer = await complete(service, path, { state, code });
    expect([what, answer.status, answer.errors]).toEqual([what, status, [expect.stringContaining(text)]]);
    const again = await complete(service, path, { state, code });
    expect(again.errors).toEqual(['login failed: expired or missing OAuth state.']);
    const { form, authorization } = provider.exchanges.at(-1) ?? { form: new URLSearchParams(), authorization: '' };
    const secrets = [
      code,
      provider.clientSecret,
      accessToken,
      form.get('code_verifier') ?? '',
      authorization,
      state,
      nonce,
    ];
    const written = answer.text + (await textOf(file)) + JSON.stringify(service.logged.slice(before));
    expect(
      foundIn(
        written,
        [...secrets, encoded(provider.clientSecret)].filter((one) => one !== ''),
      ),
    ).toEqual([]);
  }
});

test('the code is exchanged with the verifier of its challenge and the credentials of the client', async () => {
  const { path, state, nonce } = await begun({}, { oidc_client_secret: 'a b:c%' });
  provider.token = async (_x, r) => provider.grant(r, await provider.issuer.sign(provider.claims(nonce)));
  await done(complete(service, path, { state, code }));
  const { form, authorization } = provider.exchanges.at(-1) ?? {};
  expect(Object.fromEntries(form ?? [])).toEqual({
    grant_type: 'authorization_code',
    code,
    redirect_uri: 'http://localhost:8250/oidc/callback',
    code_verifier: expect.stringMatching(/^\w{64}$/),
  });
  expect(decoded(authorization ?? '')).toBe('keyferry:a+b%3Ac%25');
});

test('claims of the user info endpoint never replace those of the ID token, and must be about its user', async () => {
  const role = { user_claim: 'email', claim_mappings: { team: 'team' } };
  provider.userInfo = { sub: 'ada', email: 'eve@example.com', team: 'red' };
  const { body } = await done(withClaims({ email: 'ada@example.com' }, role));
  expect(body['auth']).toMatchObject({ metadata: { team: 'red' } });
  const { client_token } = body['auth'] as { client_token: string };
  const headers = { 'x-service-token': client_token };
  const { data } = await service.ask('GET', 'auth/token/lookup-self', undefined, { headers });
  expect(data['display_name']).toMatch(/-ada@example\.com$/);
  for (const userInfo of [{ sub: 'eve', email: 'eve@example.com' }, undefined]) {
    provider.userInfo = userInfo;
    expect(await withClaims({}, role)).toMatchObject({ status: 400, errors: ['claim "email" not found in token'] });
  }
});

test('bounds of the role hold for the claims of a login by browser', async () => {
  const role = { bound_claims: { team: ['red', 'blue'] } };
  await done(withClaims({ team: 'red' }, role));
  expect(await withClaims({ team: 'marker' }, role)).toMatchObject({
    errors: ['error validating claims: claim "team" does not match any associated bound claim values'],
  });
  expect((await withClaims({}, { bound_subject: 'eve' })).errors).toEqual([
    'error validating claims: sub claim does not match bound subject',
  ]);
  expect((await withClaims({}, { bound_audiences: 'other' })).errors).toEqual([
    'error validating claims: aud claim does not match any bound audience',
  ]);
  expect((await withClaims({}, { token_bound_cidrs: '10.0.0.0/8' })).status).toBe(403);
  const asked = { max_age: 60 };
  expect((await withClaims({ auth_time: inSeconds(-600) }, asked)).errors.join()).toContain(
    'the login at the provider is too old',
  );
});

test('a provider with an endpoint that is not encrypted is refused, and one that lacks endpoints causes warnings', async () => {
  const path = await mounted(service, provider);
  const config = { oidc_discovery_url: provider.address, oidc_discovery_ca_pem: provider.certificate };
  const write = (document: object) => {
    provider.document = document;
    const client = { oidc_client_id: 'a', oidc_client_secret: 'b' };
    return service.ask('POST', `auth/${path}/config`, { ...config, ...client });
  };
  expect(await write({ token_endpoint: 'http://localhost/token' })).toMatchObject({
    status: 400,
    errors: ['error checking oidc discovery URL: one of its endpoints is at a URL without encryption'],
  });
  const { warnings } = await done(write({ authorization_endpoint: undefined, token_endpoint: 'file:///etc/passwd' }));
  expect(warnings).toEqual([
    'The provider names no authorization endpoint: logins by browser are sent to /authorize below its URL.',
    'The provider names no token endpoint: logins that return with a code will fail.',
  ]);
  const { data } = await done(begin(service, path));
  const url = new URL(String(data['auth_url']));
  expect(`${url.origin}${url.pathname}`).toBe(`${provider.address}/authorize`);
  expect(await complete(service, path, { state: url.searchParams.get('state') ?? '', code })).toMatchObject({
    status: 502,
    errors: ['the provider could not be asked: its discovery document names no token endpoint'],
  });
});
