import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browse } from '#test/support/auth/browser.ts';
import { type OpenIdProvider, startOpenIdProvider } from '#test/support/auth/openid-provider.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { answerOf, begin, complete, done, listener, mounted, noToken } from './ground.ts';

// A real provider, and the calls of the family's command line and of hvac.
const service = serviceOf([]);
let provider: OpenIdProvider;

beforeAll(async () => {
  provider = await startOpenIdProvider([listener]);
});
afterAll(() => provider.close());

const authOf = (body: Readonly<Record<string, unknown>>) => body['auth'] as Readonly<Record<string, unknown>>;

describe('a login by browser', () => {
  test('returns a token with the settings of the role, claims of the user info endpoint, and the groups', async () => {
    const path = await mounted(service, provider, {
      role: {
        user_claim: 'email',
        groups_claim: 'groups',
        claim_mappings: { sub: 'user' },
        oidc_scopes: 'email,groups',
      },
    });
    const accessor = String((await done(service.ask('GET', `sys/auth/${path}`))).data['accessor']);
    const name = service.name('staff');
    const group = await done(service.ask('POST', 'identity/group', { name, type: 'external', policies: 'of-staff' }));
    const alias = { name: 'staff', mount_accessor: accessor, canonical_id: group.data['id'] };
    await done(service.ask('POST', 'identity/group-alias', alias));

    const { state, code } = await answerOf(service, provider, path, { client_nonce: 'n1' });
    const { body } = await done(complete(service, path, { state, code, client_nonce: 'n1' }));
    expect(authOf(body)).toMatchObject({
      token_policies: ['default', 'people'],
      identity_policies: ['of-staff'],
      metadata: { role: 'dev', user: 'ada' },
    });
    const headers = { 'x-service-token': String(authOf(body)['client_token']) };
    const { data } = await service.ask('GET', 'auth/token/lookup-self', undefined, { headers });
    expect(data).toMatchObject({
      display_name: `${path}-ada@example.com`,
      path: `auth/${path}/oidc/callback`,
      meta: { role: 'dev' },
    });
  });

  test('sends the user to the provider with PKCE, a nonce, and the client id first', async () => {
    const path = await mounted(service, provider, { role: { max_age: '1h', oidc_scopes: ['email'] } });
    const [one, other] = await Promise.all([begin(service, path), begin(service, path)]);
    const url = new URL(String(one.data['auth_url']));
    expect(url.href).toContain('?client_id=keyferry&');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      scope: 'openid email',
      redirect_uri: listener,
      code_challenge_method: 'S256',
      max_age: '3600',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(url.searchParams.get(name)?.length).toBeGreaterThan(40);
      expect(new URL(String(other.data['auth_url'])).searchParams.get(name)).not.toBe(url.searchParams.get(name));
    }
  });

  test('needs the nonce of the client that began it', async () => {
    const path = await mounted(service, provider);
    for (const query of [{}, { client_nonce: 'n2' }, { nonce: 'n1' }]) {
      const { state, code } = await answerOf(service, provider, path, { client_nonce: 'n1' });
      const refused = { status: 400, errors: ['invalid client_nonce'] };
      expect(await complete(service, path, { ...query, state, code })).toMatchObject(refused);
    }
  });

  test('uses a state once, also for many requests at a time', async () => {
    const path = await mounted(service, provider);
    const { state, code } = await answerOf(service, provider, path);
    const answers = await Promise.all([...Array(8).keys()].map(() => complete(service, path, { state, code })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const others = answers.filter(({ status }) => status !== 200).map(({ errors }) => errors.join());
    expect(new Set(others)).toEqual(new Set(['login failed: expired or missing OAuth state.']));
  });

  test('is void after its deadline, and with another mount', async () => {
    const [path, elsewhere] = [await mounted(service, provider), await mounted(service, provider)];
    const missing = { status: 400, errors: ['login failed: expired or missing OAuth state.'] };
    const { state, code } = await answerOf(service, provider, path);
    expect(await complete(service, elsewhere, { state, code })).toMatchObject(missing);
    await service.store.db
      .updateTable('browser_logins')
      .set({ expire_at: new Date(0) })
      .execute();
    expect(await complete(service, path, { state, code })).toMatchObject(missing);
    await service.sweep();
    expect(await service.store.db.selectFrom('browser_logins').select('state_hash').execute()).toEqual([]);
  });

  test('ends when its role or the provider of the mount has changed meanwhile', async () => {
    const path = await mounted(service, provider);
    const first = await answerOf(service, provider, path);
    await done(service.ask('DELETE', `auth/${path}/role/dev`));
    expect(
      await complete(service, path, first.url.searchParams.size > 0 ? { state: first.state, code: first.code } : {}),
    ).toMatchObject({
      status: 400,
      errors: ['role "dev" could not be found'],
    });
    const other = await mounted(service, provider);
    const { state, code } = await answerOf(service, provider, other);
    const config = { oidc_discovery_url: provider.address, oidc_discovery_ca_pem: provider.certificate };
    await done(
      service.ask('POST', `auth/${other}/config`, { ...config, oidc_client_id: 'b', oidc_client_secret: 'c' }),
    );
    expect(await complete(service, other, { state, code })).toMatchObject({
      errors: ['login failed: the configuration of the mount has changed meanwhile'],
    });
  });

  test('is refused with the known error of the provider, and with the issuer of another', async () => {
    const path = await mounted(service, provider);
    const state = async () => (await answerOf(service, provider, path)).state;
    expect(await complete(service, path, { state: await state(), error: 'access_denied' })).toMatchObject({
      errors: ['login failed: the provider refused it: access_denied'],
    });
    expect(await complete(service, path, { state: await state(), error: '<b>marker</b>' })).toMatchObject({
      errors: ['login failed: the provider refused it: another error'],
    });
    expect(
      await complete(service, path, { state: await state(), code: 'x', iss: 'https://evil.example' }),
    ).toMatchObject({
      errors: ['login failed: the answer is from another provider'],
    });
    expect(await complete(service, path, { state: await state(), code: 'x' })).toMatchObject({
      errors: ['login failed: the provider refused the code: invalid_grant'],
    });
    expect(await complete(service, path, { state: await state() })).toMatchObject({
      errors: ['login failed: no code received.'],
    });
  });

  test('may be posted by the provider, and completed by the client', async () => {
    const path = await mounted(service, provider, { config: { oidc_response_mode: 'form_post' } });
    const { data } = await done(begin(service, path));
    const { url, form = {} } = await browse(provider, String(data['auth_url']));
    expect(url.href).toBe(listener);
    const post = (fields: Readonly<Record<string, string>>) =>
      fetch(`${service.address}/v1/auth/${path}/oidc/callback`, {
        method: 'POST',
        body: new URLSearchParams({ ...fields }),
      });
    const page = await post(form);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await page.text()).not.toContain(form['code']);
    expect((await post({ ...form, code: 'of-another' })).status).toBe(400);
    const state = form['state'] ?? '';
    const { body } = await done(complete(service, path, { state, code: 'no_code' }));
    expect(authOf(body)['client_token']).toMatch(/^hvs\./);
    const query = await mounted(service, provider);
    const answer = await service.ask('POST', `auth/${query}/oidc/callback`, { state }, noToken);
    expect(answer.status).toBe(405);
  });

  test('works in a namespace, which may travel in the state', async () => {
    const name = service.name('team');
    await done(service.ask('POST', `sys/namespaces/${name}`, {}));
    const path = await mounted(service, provider, { namespace: `${name}/` });
    const inTeam = `${name}/auth/${path}/oidc`;
    const uri = `${listener}?namespace=${name}`;
    const { data } = await done(service.ask('POST', `${inTeam}/auth_url`, { role: 'dev', redirect_uri: uri }, noToken));
    const { url } = await browse(provider, String(data['auth_url']));
    expect(url.searchParams.get('state')).toMatch(new RegExp(`,ns=${name}$`));
    const query = new URLSearchParams({
      state: url.searchParams.get('state') ?? '',
      code: url.searchParams.get('code') ?? '',
    });
    expect((await service.ask('GET', `auth/${path}/oidc/callback?${query}`, undefined, noToken)).status).toBe(403);
    const { body } = await done(service.ask('GET', `${inTeam}/callback?${query}`, undefined, noToken));
    const headers = { 'x-service-token': String(authOf(body)['client_token']) };
    expect((await service.ask('GET', `${name}/auth/token/lookup-self`, undefined, { headers })).data).toMatchObject({
      namespace_path: `${name}/`,
    });
  });
});

describe('the URL of the provider', () => {
  test('is empty for a redirect URI or a role that is not for browsers', async () => {
    const path = await mounted(service, provider);
    await done(
      service.ask('POST', `auth/${path}/role/ci`, { role_type: 'jwt', user_claim: 'sub', bound_audiences: 'keyferry' }),
    );
    const uris = ['https://evil.example/', `${listener}/more`, 'http://localhost.evil.example/oidc/callback'];
    for (const redirect_uri of uris)
      expect(await begin(service, path, { redirect_uri })).toMatchObject({ status: 200, data: { auth_url: '' } });
    expect((await begin(service, path, { role: 'ci' })).data).toEqual({ auth_url: '' });
    const free = await begin(service, path, { redirect_uri: 'http://localhost:49152/oidc/callback' });
    expect(free.data['auth_url']).toContain('https://localhost');
  });

  test('is refused without a role, a redirect URI, or a client at the provider', async () => {
    const path = await mounted(service, provider);
    const refused = async (more: object, text: string, at = path) =>
      expect(await begin(service, at, more)).toMatchObject({ status: 400, errors: [text] });
    await refused({ role: '' }, 'missing role');
    await refused({ role: 'none' }, 'role "none" could not be found');
    await refused({ redirect_uri: '' }, 'missing redirect_uri');
    const keysOnly = await mounted(service, provider, { config: { oidc_client_id: '', oidc_client_secret: '' } });
    await refused({}, 'OIDC login is not configured for this mount', keysOnly);
    const unset = service.name('o');
    await done(service.ask('POST', `sys/auth/${unset}`, { type: 'oidc' }));
    await refused({}, 'could not load configuration', unset);
    const login = await service.ask('POST', `auth/${path}/login`, { role: 'dev', jwt: 'x' }, noToken);
    expect(login).toMatchObject({ status: 400, errors: ['role with oidc role_type is not allowed'] });
  });
});
