import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Orchestrator, startOrchestrator, uidOf } from '#test/support/auth/orchestrator.ts';
import { forged, inSeconds, newIssuer } from '#test/support/auth/tokens.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'keyferry-account-'));
const service = serviceOf([], { KEYFERRY_SERVICE_ACCOUNT_DIR: folder, KEYFERRY_AUTH_REQUEST_MS_MAX: '3000' });
let cluster: Orchestrator;

const reviewer = 'reviewer-token';
const config = (changes: object = {}) => ({
  kubernetes_host: cluster.address,
  kubernetes_ca_cert: cluster.certificate,
  token_reviewer_jwt: reviewer,
  ...changes,
});
const role = (changes: object = {}) => ({
  bound_service_account_names: 'app',
  bound_service_account_namespaces: 'shop',
  token_policies: ['shop'],
  ttl: '20m',
  ...changes,
});

/** A new mount with this configuration and a role `web`. */
async function mounted(configuration: object = config(), roleChanges: object = {}): Promise<string> {
  const path = service.name('k');
  await expectStatus(204, 'POST', `sys/auth/${path}`, { type: 'kubernetes' });
  await expectStatus(204, 'POST', `auth/${path}/config`, configuration);
  await expectStatus(204, 'POST', `auth/${path}/role/web`, role(roleChanges));
  return path;
}

async function expectStatus(status: number, method: string, path: string, body?: object) {
  const answer = await service.ask(method, path, body);
  expect([answer.status, answer.errors]).toEqual([status, []]);
  return answer;
}

const bare = { headers: { 'x-service-token': undefined } };
const login = (path: string, jwt: string, name = 'web') =>
  service.ask('POST', `auth/${path}/login`, { role: name, jwt }, bare);

beforeAll(async () => {
  cluster = await startOrchestrator();
  cluster.reviewers.add(reviewer);
  cluster.labels.set('shop', { team: 'red', stage: 'live' });
  cluster.labels.set('bank', { team: 'blue' });
});
afterEach(() => {
  cluster.fault = undefined;
  cluster.alter = undefined;
});
afterAll(async () => {
  cluster.close();
  await rm(folder, { recursive: true, force: true });
});

describe('a login', () => {
  test('returns a token with the settings of the role and the metadata of the service account', async () => {
    const path = await mounted();
    const { status, body } = await login(path, await cluster.token('shop', 'app'));
    expect(status).toBe(200);
    const metadata = {
      role: 'web',
      service_account_name: 'app',
      service_account_namespace: 'shop',
      service_account_secret_name: '',
      service_account_uid: uidOf('shop', 'app'),
    };
    expect(body['auth']).toMatchObject({ metadata, policies: ['default', 'shop'], lease_duration: 1_200 });
    const { client_token } = body['auth'] as { client_token: string };
    const { data } = await service.ask('GET', 'auth/token/lookup-self', undefined, {
      headers: { 'x-service-token': client_token },
    });
    expect(data).toMatchObject({ display_name: `${path}-shop-app`, path: `auth/${path}/login`, meta: metadata });
  });

  test('works the same with the canonical type and names', async () => {
    const path = service.name('o');
    await expectStatus(204, 'POST', `sys/auth/${path}`, { type: 'orchestrator' });
    const { kubernetes_host: orchestrator_host, kubernetes_ca_cert: orchestrator_ca_cert } = config();
    await expectStatus(204, 'POST', `auth/${path}/config`, {
      orchestrator_host,
      orchestrator_ca_cert,
      token_reviewer_jwt: reviewer,
    });
    await expectStatus(204, 'POST', `auth/${path}/role/web`, role());
    expect((await login(path, await cluster.token('shop', 'app'))).status).toBe(200);
  });

  test('accepts legacy tokens of secrets', async () => {
    const path = await mounted();
    const at = 'kubernetes.io/serviceaccount/';
    const jwt = await cluster.token('shop', 'app', {
      'kubernetes.io': undefined,
      exp: undefined,
      [`${at}namespace`]: 'shop',
      [`${at}secret.name`]: 'app-token',
      [`${at}service-account.name`]: 'app',
      [`${at}service-account.uid`]: uidOf('shop', 'app'),
    });
    expect((await login(path, jwt)).body['auth']).toMatchObject({
      metadata: { service_account_secret_name: 'app-token' },
    });
  });

  test('is refused with the texts of the API family', async () => {
    const path = await mounted();
    const jwt = await cluster.token('shop', 'app');
    const denied = '1 error occurred:\n\t* permission denied\n\n';
    const expected: [Promise<{ status: number; errors: readonly string[] }>, number, string][] = [
      [login(path, jwt, ''), 400, 'missing role'],
      [login(path, ''), 400, 'missing jwt'],
      [login(path, jwt, 'none'), 400, 'invalid role name "none"'],
      [login(path, await cluster.token('shop', 'other')), 403, 'service account name not authorized'],
      [login(path, await cluster.token('bank', 'app')), 403, 'namespace not authorized'],
      [login(path, await cluster.token('shop', 'app', { exp: inSeconds(-300) })), 403, 'the JWT has expired'],
      [login(path, await cluster.token('shop', 'app', { nbf: inSeconds(300) })), 403, 'the JWT is not valid yet'],
      [
        login(path, await cluster.token('shop', 'app', { 'kubernetes.io': 1 })),
        403,
        'the JWT does not belong to a service account',
      ],
      [login(path, 'nonsense'), 403, 'the JWT cannot be parsed'],
    ];
    for (const [answer, status, text] of expected) expect(await answer).toMatchObject({ status, errors: [text] });
    const forgedByOther = await (await newIssuer()).sign({ ...JSON.parse(claimsOf(jwt)) });
    expect(await login(path, forgedByOther)).toMatchObject({ status: 403, errors: [denied] });
    cluster.gone.add('shop:app');
    expect(await login(path, jwt)).toMatchObject({ status: 403, errors: [denied] });
    cluster.gone.clear();
    const unset = service.name('k');
    await expectStatus(204, 'POST', `sys/auth/${unset}`, { type: 'kubernetes' });
    await expectStatus(204, 'POST', `auth/${unset}/role/web`, role());
    expect(await login(unset, jwt)).toMatchObject({ status: 500, errors: ['could not load backend configuration'] });
  });

  test('requests no review of a token that is unsigned or signed with a shared key', async () => {
    const path = await mounted();
    const claims = JSON.parse(claimsOf(await cluster.token('shop', 'app')));
    const before = cluster.calls.length;
    for (const alg of ['none', 'HS256', 'nonsense']) {
      const { status, errors } = await login(path, forged({ alg }, claims, 'c2lnbmF0dXJl'));
      expect([status, errors]).toEqual([403, ['the algorithm of the JWT is not accepted']]);
    }
    expect(cluster.calls.length).toBe(before);
  });

  test('is refused before parsing when the token is too long', async () => {
    const path = await mounted();
    const { status, text } = await login(path, 'x'.repeat(1_000_000));
    expect([400, 413]).toContain(status);
    expect(text.length).toBeLessThan(1_000);
  });

  test.each([
    ['another user', { user: { username: 'system:serviceaccount:shop:other', groups: ['system:serviceaccounts'] } }],
    [
      'another id',
      { user: { username: 'system:serviceaccount:shop:app', uid: 'x', groups: ['system:serviceaccounts'] } },
    ],
    ['a user that is not a service account', { user: { username: 'admin', uid: uidOf('shop', 'app'), groups: [] } }],
    ['a user without the group', { user: { username: 'system:serviceaccount:shop:app', uid: uidOf('shop', 'app') } }],
    ['an error', { error: 'trouble' }],
    ['no authentication', { authenticated: undefined }],
  ])('is refused when the review says %s', async (_what, changes) => {
    const path = await mounted();
    cluster.alter = (status) => ({ ...status, ...changes });
    expect((await login(path, await cluster.token('shop', 'app'))).status).toBe(403);
  });
});

const claimsOf = (jwt: string): string => Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString();

describe('the reviewer', () => {
  const bearerOf = async (path: string, jwt: string) => {
    const answer = await login(path, jwt);
    return [answer.status, cluster.calls.at(-1)?.bearer];
  };

  test('is the configured token', async () => {
    expect(await bearerOf(await mounted(), await cluster.token('shop', 'app'))).toEqual([200, reviewer]);
  });

  test('is the server’s own account with its certificates, if its pod has them', async () => {
    await writeFile(join(folder, 'token'), 'local-token\n');
    await writeFile(join(folder, 'ca.crt'), cluster.certificate);
    cluster.reviewers.add('local-token');
    const path = await mounted(config({ token_reviewer_jwt: undefined, kubernetes_ca_cert: undefined }));
    expect(await bearerOf(path, await cluster.token('shop', 'app'))).toEqual([200, 'local-token']);
  });

  test('is the caller when the local account is disabled or missing', async () => {
    const jwt = await cluster.token('shop', 'app', { iat: inSeconds(-5) });
    const path = await mounted(config({ token_reviewer_jwt: undefined, disable_local_ca_jwt: true }));
    expect(await bearerOf(path, jwt)).toEqual([502, jwt]);
    cluster.reviewers.add(jwt);
    expect(await bearerOf(path, jwt)).toEqual([200, jwt]);
  });
});

describe('a role', () => {
  test('with an audience requires it', async () => {
    const path = await mounted(config(), { audience: 'vault' });
    expect((await login(path, await cluster.token('shop', 'app'))).status).toBe(403);
    expect((await login(path, await cluster.token('shop', 'app', { aud: ['vault'] }))).status).toBe(200);
    cluster.alter = ({ audiences: _left, ...status }) => status;
    expect((await login(path, await cluster.token('shop', 'app', { aud: ['vault'] }))).status).toBe(403);
  });

  test('accepts globs, and * for all', async () => {
    const path = await mounted(config(), {
      bound_service_account_names: ['app', 'web-*'],
      bound_service_account_namespaces: '*',
    });
    expect((await login(path, await cluster.token('bank', 'web-1'))).status).toBe(200);
    expect((await login(path, await cluster.token('bank', 'db-1'))).status).toBe(403);
  });

  test('selects namespaces by labels in addition to those that it names', async () => {
    const selector = 'matchLabels:\n  team: red\nmatchExpressions:\n- {key: stage, operator: In, values: [live]}';
    const path = await mounted(config(), {
      bound_service_account_namespaces: 'bank',
      bound_service_account_namespace_selector: selector,
    });
    expect((await login(path, await cluster.token('shop', 'app'))).status).toBe(200);
    expect((await login(path, await cluster.token('bank', 'app'))).status).toBe(200);
    cluster.labels.set('shop', { team: 'red' });
    const refusal = { status: 403, errors: ['namespace not authorized'] };
    expect(await login(path, await cluster.token('shop', 'app'))).toMatchObject(refusal);
    expect(await login(path, await cluster.token('nowhere', 'app'))).toMatchObject(refusal);
    cluster.labels.set('shop', { team: 'red', stage: 'live' });
  });

  test('has all fields, and a listing', async () => {
    const path = await mounted(config(), { alias_name_source: 'serviceaccount_name', token_num_uses: 3 });
    const { data } = await expectStatus(200, 'GET', `auth/${path}/role/WEB`);
    expect(data).toMatchObject({
      bound_service_account_names: ['app'],
      bound_service_account_namespaces: ['shop'],
      alias_name_source: 'serviceaccount_name',
      token_ttl: 1_200,
      ttl: 1_200,
      token_policies: ['shop'],
      token_num_uses: 3,
      token_type: 'default',
      audience: '',
    });
    expect((await expectStatus(200, 'LIST', `auth/${path}/role`)).data).toEqual({ keys: ['web'] });
    await expectStatus(204, 'DELETE', `auth/${path}/role/web`);
    expect((await service.ask('GET', `auth/${path}/role/web`)).status).toBe(404);
    expect((await service.ask('LIST', `auth/${path}/role`)).status).toBe(404);
  });

  test.each([
    [{ bound_service_account_names: [] }, '"bound_service_account_names" can not be empty'],
    [
      { bound_service_account_namespaces: [] },
      '"bound_service_account_namespaces" can not be empty if "bound_service_account_namespace_selector" is not set',
    ],
    [{ bound_service_account_names: ['*', 'a'] }, 'can not mix "*" with values'],
    [
      { bound_service_account_namespace_selector: 'matchLabels: [' },
      'invalid "bound_service_account_namespace_selector" configured',
    ],
    [{ alias_name_source: 'x' }, 'invalid alias_name_source: expected serviceaccount_uid or serviceaccount_name'],
    [{ token_ttl: 10, token_max_ttl: 5 }, expect.stringContaining('token_max_ttl')],
    [{ bound_service_account_names: 1.5, audience: {} }, expect.stringContaining('audience')],
  ])('is refused with %j', async (changes, text) => {
    const path = await mounted();
    const { status, errors } = await service.ask('POST', `auth/${path}/role/other`, role(changes));
    expect([status, errors]).toEqual([400, expect.arrayContaining([text])]);
  });
});

describe('the configuration', () => {
  test('is read by both names and without the token, which is stored encrypted', async () => {
    const path = await mounted();
    const answer = await expectStatus(200, 'GET', `auth/${path}/config`);
    expect(answer.text).not.toContain(reviewer);
    expect(answer.data).toMatchObject({
      orchestrator_host: cluster.address,
      kubernetes_host: cluster.address,
      token_reviewer_jwt_set: true,
      disable_iss_validation: true,
      disable_local_ca_jwt: false,
      pem_keys: [],
      issuer: '',
    });
    const { db } = service.store;
    const rows = await db.selectFrom('auth_configs').select('config').execute();
    expect(rows.some(({ config: kept }) => kept.includes(reviewer))).toBe(false);
  });

  test.each([
    [{}, 'no host provided'],
    [
      { kubernetes_host: 'https://x', disable_local_ca_jwt: true },
      /_ca_cert must be given when disable_local_ca_jwt is/,
    ],
    [{ kubernetes_host: '10.0.0.1:6443' }, /has to be a URL such as https/],
    [{ kubernetes_host: { a: 1 } }, /kubernetes_host|orchestrator_host/],
  ])('is refused with %j', async (given, text) => {
    const path = await mounted();
    const { status, errors } = await service.ask('POST', `auth/${path}/config`, given);
    expect([status, errors[0]]).toEqual([400, expect.stringMatching(text)]);
  });

  test('is refused with too many keys', async () => {
    const { status, errors } = await service.ask(
      'POST',
      `auth/${await mounted()}/config`,
      config({ pem_keys: Array(101).fill('k') }),
    );
    expect([status, errors[0]]).toEqual([400, expect.stringContaining('at most 100 keys')]);
  });

  test('warns when there is no CA certificate, neither configured nor in the pod', async () => {
    const path = await mounted();
    const write = () => service.ask('POST', `auth/${path}/config`, { kubernetes_host: cluster.address });
    await rm(join(folder, 'ca.crt'), { force: true });
    // Cached certificates of earlier logins do not affect a new configuration.
    expect(await write()).toMatchObject({
      status: 200,
      warnings: [expect.stringMatching(/^there is no CA certificate, .*502 until there is one$/)],
    });
    await writeFile(join(folder, 'ca.crt'), cluster.certificate);
    expect((await write()).status).toBe(204);
  });

  test('is accepted with invalid certificates and keys, with a warning', async () => {
    const path = await mounted();
    const odd = { kubernetes_ca_cert: '-----BEGIN CERTIFICATE-----\n...\n-----END CERTIFICATE-----', pem_keys: ['x'] };
    const { status, warnings } = await service.ask('POST', `auth/${path}/config`, config(odd));
    expect([status, warnings.length]).toEqual([200, 2]);
    const { pem_keys: _left, ...rest } = config(odd) as { pem_keys?: unknown };
    await service.ask('POST', `auth/${path}/config`, rest);
    const answer = await login(path, await cluster.token('shop', 'app'));
    expect(answer).toMatchObject({ status: 502, errors: [expect.stringContaining('CA certificates')] });
  });

  test('checks keys and the issuer before the review', async () => {
    const keyed = await mounted(config({ pem_keys: [(await newIssuer()).pem, cluster.issuer.pem] }));
    const jwt = await cluster.token('shop', 'app');
    expect((await login(keyed, jwt)).status).toBe(200);
    const before = cluster.calls.length;
    const other = await (await newIssuer()).sign(JSON.parse(claimsOf(jwt)));
    expect(await login(keyed, other)).toMatchObject({ status: 403, errors: [expect.stringContaining('signature')] });
    const issued = await mounted(config({ disable_iss_validation: false, issuer: 'somebody' }));
    expect(await login(issued, jwt)).toMatchObject({ status: 403, errors: [expect.stringContaining('issuer')] });
    expect(cluster.calls.length).toBe(before);
    expect((await login(issued, await cluster.token('shop', 'app', { iss: 'somebody' }))).status).toBe(200);
  });

  test('is deleted with its mount, like the roles', async () => {
    const path = await mounted();
    await expectStatus(204, 'DELETE', `sys/auth/${path}`);
    expect((await login(path, await cluster.token('shop', 'app'))).status).toBe(403);
    await expectStatus(204, 'POST', `sys/auth/${path}`, { type: 'kubernetes' });
    expect((await service.ask('GET', `auth/${path}/config`)).status).toBe(404);
    expect((await service.ask('LIST', `auth/${path}/role`)).status).toBe(404);
  });
});

describe('a reviewer that', () => {
  test.each<[string, NonNullable<Orchestrator['fault']>, string]>([
    ['hangs', () => undefined, 'it did not answer in time'],
    ['hangs in the body', (_q, r) => r.writeHead(200).write('{'), 'it did not answer in time'],
    ['redirects', (_q, r) => r.writeHead(307, { location: 'https://example.com/' }).end(), 'its reply is a redirect'],
    ['answers 500', (_q, r) => r.writeHead(500).end('eyJsecret'), 'it replied with status 500'],
    ['refuses us', (_q, r) => r.writeHead(401).end(), 'it refuses the reviewer'],
    ['answers garbage', (_q, r) => r.writeHead(200).end('<html>'), 'its reply is not a token review'],
    ['answers an empty object', (_q, r) => r.writeHead(200).end('{}'), 'its reply is not a token review'],
    ['answers too much', (_q, r) => r.writeHead(200).end('x'.repeat(3_000_000)), 'its reply is too large'],
    ['ends the connection', (q) => q.socket.destroy(), 'the connection to it failed'],
  ])('%s causes a 502 that names the cause, without the token', async (_what, fault, text) => {
    const path = await mounted();
    const jwt = await cluster.token('shop', 'app');
    const before = service.logged.length;
    cluster.fault = fault;
    const answer = await login(path, jwt);
    expect(answer).toMatchObject({ status: 502, errors: [expect.stringContaining(text)] });
    const said = answer.text + JSON.stringify(service.logged.slice(before));
    for (const secret of [jwt, jwt.slice(-40), reviewer, 'eyJsecret']) expect(said).not.toContain(secret);
  });

  test('has another certificate, or one for another name, is not called', async () => {
    const other = await startOrchestrator(['elsewhere.example']);
    other.reviewers.add(reviewer);
    const jwt = await other.token('shop', 'app');
    for (const certificate of [cluster.certificate, other.certificate]) {
      const path = await mounted(config({ kubernetes_host: other.address, kubernetes_ca_cert: certificate }));
      const answer = await login(path, jwt);
      expect(answer).toMatchObject({
        status: 502,
        errors: [expect.stringContaining('its certificate is not trusted')],
      });
    }
    expect(other.calls).toEqual([]);
    other.close();
  });

  test('does not exist causes a 502 as well', async () => {
    const gone = await startOrchestrator();
    gone.close();
    const path = await mounted(config({ kubernetes_host: gone.address }));
    const answer = await login(path, await cluster.token('shop', 'app'));
    expect(answer).toMatchObject({ status: 502, errors: [expect.stringContaining('it refuses connections')] });
  });
});
