import { createHash, randomBytes } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { as, json, type Someone, someone } from './setup.ts';

const service = serviceOf([]);
const write = (path: string, body: object = {}) => service.ask('POST', `identity/oidc/${path}`, body);
const read = (path: string) => service.ask('GET', `identity/oidc/${path}`);
const redirect_uri = 'https://app.example/done';

let caller: Someone;
let policy: string;
beforeAll(async () => {
  policy = service.name('logs-in');
  await service.ask('PUT', `sys/policies/acl/${policy}`, {
    policy: 'path "identity/oidc/provider/+/authorize" { capabilities = ["read", "update"] }',
  });
  caller = await someone(service, [policy]);
});

/** A provider with one client that admits everyone. */
async function clientOf(changes: object = {}, provider: object = {}) {
  const name = service.name('client');
  await write(`key/${name}`, { algorithm: 'ES256', allowed_client_ids: '*' });
  const body = { key: name, redirect_uris: redirect_uri, assignments: 'allow_all', ...changes };
  const made = await write(`client/${name}`, body);
  if (made.status !== 204) throw new Error(made.errors.join());
  const { data } = await read(`client/${name}`);
  const answer = await write(`provider/${name}`, { allowed_client_ids: data['client_id'], ...provider });
  if (answer.status !== 204) throw new Error(answer.errors.join());
  return { name, id: String(data['client_id']), secret: String(data['client_secret'] ?? '') };
}
type Client = Awaited<ReturnType<typeof clientOf>>;

const authorize = ({ name, id }: Client, more: object = {}, by = caller) => {
  const asked = {
    scope: 'openid',
    response_type: 'code',
    client_id: id,
    redirect_uri,
    state: 's',
    nonce: 'n',
    ...more,
  };
  return service.ask('POST', `identity/oidc/provider/${name}/authorize`, asked, as(by));
};
const codeOf = async (client: Client, more: object = {}, by = caller) =>
  String((await authorize(client, more, by)).body['code']);

/** Sends a form, as libraries of OAuth 2.0 do. */
async function exchange({ name, id, secret }: Client, more: Readonly<Record<string, string>>, basic = true) {
  const form = { grant_type: 'authorization_code', redirect_uri, ...more };
  const own = basic ? form : { client_id: id, ...(secret === '' ? {} : { client_secret: secret }), ...form };
  const answer = await fetch(`${service.address}/v1/identity/oidc/provider/${name}/token`, {
    method: 'POST',
    headers: basic ? { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` } : {},
    body: new URLSearchParams(own),
  });
  return { status: answer.status, headers: answer.headers, body: Object(await answer.json()) };
}

const userinfo = async ({ name }: Client, token: string) => {
  const url = `${service.address}/v1/identity/oidc/provider/${name}/userinfo`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  return { status: answer.status, body: await answer.json() };
};

describe('a login at a client', () => {
  test('gives an ID token that discovery verifies, and an access token for the claims', async () => {
    const scope = service.name('scope');
    await write(`scope/${scope}`, { template: '{"who": {"id": {{identity.entity.id}}}}', description: 'who' });
    const client = await clientOf({ id_token_ttl: '10m', access_token_ttl: '5m' }, { scopes_supported: scope });
    const issuer = `${service.address}/v1/identity/oidc/provider/${client.name}`;
    const document = await json(`${issuer}/.well-known/openid-configuration`);
    expect(document).toMatchObject({ issuer, token_endpoint: `${issuer}/token`, scopes_supported: [scope, 'openid'] });
    const answer = await authorize(client, { scope: `openid ${scope} unknown`, max_age: 3_600 });
    expect(answer).toMatchObject({ status: 200, body: { state: 's', code: expect.stringMatching(/^\w{32}$/) } });
    const { status, headers, body } = await exchange(client, { code: String(answer.body['code']) });
    expect([status, headers.get('cache-control'), headers.get('pragma')]).toEqual([200, 'no-store', 'no-cache']);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 300 });
    const keys = createLocalJWKSet(Object(await json(String(document['jwks_uri']))));
    const { payload } = await jwtVerify(body.id_token, keys, { issuer, audience: client.id });
    const half = createHash('sha256').update(body.access_token).digest().subarray(0, 16).toString('base64url');
    expect(payload).toMatchObject({ sub: caller.entity, nonce: 'n', at_hash: half, who: { id: caller.entity } });
    expect(Number(payload['auth_time'])).toBeGreaterThan(Date.now() / 1_000 - 3_600);
    expect(Number(payload.exp) - Number(payload.iat)).toBe(600);
    expect(await userinfo(client, body.access_token)).toEqual({
      status: 200,
      body: { sub: caller.entity, who: { id: caller.entity } },
    });
    expect((await write('introspect', { token: body.id_token, client_id: client.id })).body).toEqual({ active: true });
    expect((await userinfo(await clientOf(), body.access_token)).status).toBe(401);
    expect((await userinfo(client, caller.token)).status).toBe(401);
    await service.ask('POST', `identity/entity/id/${caller.entity}`, { disabled: true });
    expect((await userinfo(client, body.access_token)).body).toMatchObject({ error: 'access_denied' });
    await service.ask('POST', `identity/entity/id/${caller.entity}`, { disabled: false });
  });

  test('succeeds once for a code, also of concurrent requests, and not after five minutes', async () => {
    const client = await clientOf();
    const code = await codeOf(client);
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(client, { code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)]);
    const late = await codeOf(client);
    await sql`update oidc_codes set expire_at = now() - interval '1 second'`.execute(service.store.db);
    expect((await exchange(client, { code: late })).body).toMatchObject({ error: 'invalid_grant' });
    await service.sweep();
    const { rows } = await sql`select 1 from oidc_codes where expire_at < now()`.execute(service.store.db);
    expect(rows).toEqual([]);
  });

  test('with a proof key needs the verifier, and a public client needs a proof key', async () => {
    const client = await clientOf({ client_type: 'public' });
    expect(client.secret).toBe('');
    expect((await authorize(client)).body).toMatchObject({ error: 'invalid_request', state: 's' });
    const verifier = randomBytes(32).toString('base64url');
    const code_challenge = createHash('sha256').update(verifier).digest('base64url');
    const proof = { code_challenge, code_challenge_method: 'S256' };
    const wrong = await exchange(client, { code: await codeOf(client, proof), code_verifier: 'x'.repeat(43) }, false);
    expect(wrong.body).toMatchObject({ error: 'invalid_grant' });
    const none = await exchange(client, { code: await codeOf(client, proof) }, false);
    expect(none.body).toMatchObject({ error: 'invalid_grant' });
    const right = await exchange(client, { code: await codeOf(client, proof), code_verifier: verifier }, false);
    expect(right.status).toBe(200);
  });

  test('needs the secret of the client, in the header or in the form', async () => {
    const client = await clientOf();
    expect((await exchange(client, { code: await codeOf(client) }, false)).status).toBe(200);
    for (const basic of [true, false]) {
      const stranger = await exchange({ ...client, secret: 'wrong' }, { code: await codeOf(client) }, basic);
      expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([401, 'Basic']);
      expect(stranger.body).toMatchObject({ error: 'invalid_client' });
    }
    expect((await exchange({ ...client, secret: '' }, { code: await codeOf(client) }, false)).status).toBe(401);
  });

  test('ends with its own client, provider and address only', async () => {
    const [client, other] = [await clientOf(), await clientOf()];
    await write(`provider/${client.name}`, { allowed_client_ids: '*' });
    const stolen = await exchange({ ...other, name: client.name }, { code: await codeOf(client) });
    expect(stolen.body).toMatchObject({ error: 'invalid_grant' });
    const elsewhere = await exchange({ ...client, name: 'default' }, { code: await codeOf(client) });
    expect(elsewhere.body).toMatchObject({ error: 'invalid_grant' });
    const address = await exchange(client, { code: await codeOf(client), redirect_uri: 'https://evil.example' });
    expect(address.body).toMatchObject({ error: 'invalid_grant' });
    expect((await exchange(client, { code: 'none', grant_type: 'password' })).body).toMatchObject({
      error: 'unsupported_grant_type',
    });
  });

  test.each([
    [{ scope: 'email' }, 'invalid_request', redirect_uri],
    [{ response_type: 'token' }, 'unsupported_response_type', redirect_uri],
    [{ response_type: 'token', redirect_uri: 'https://evil.example' }, 'unsupported_response_type', undefined],
    [{ client_id: 'nobody' }, 'invalid_client_id', undefined],
    [{ redirect_uri: 'https://evil.example' }, 'invalid_redirect_uri', undefined],
    [{ redirect_uri: 'https://app.example/done/../x' }, 'invalid_redirect_uri', undefined],
    [{ request: 'x' }, 'request_not_supported', redirect_uri],
    [{ max_age: 0 }, 'invalid_request', redirect_uri],
    [{ code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request', redirect_uri],
    [{ code_challenge: 'x'.repeat(43), code_challenge_method: 'S1' }, 'invalid_request', redirect_uri],
  ])('is refused with %j, and says whether the client may be told at the address', async (more, error, told) => {
    const client = await clientOf();
    const { status, body } = await authorize(client, more);
    expect({ status, body }).toMatchObject({ status: 400, body: { error, state: 's' } });
    expect(body['redirect_uri']).toBe(told);
  });

  test('at a provider that does not allow the client is not told to its address', async () => {
    const [client, other] = [await clientOf(), await clientOf()];
    const { body } = await authorize({ ...client, name: other.name });
    expect(body).toEqual({ error: 'unauthorized_client', error_description: expect.any(String), state: 's' });
  });

  test('is for callers with the right, an entity and an assignment', async () => {
    const [member, stranger] = [await someone(service, [policy]), await someone(service, [policy])];
    const group = await service.ask('POST', 'identity/group', {
      name: service.name('g'),
      member_entity_ids: [member.entity],
    });
    const assignment = service.name('assignment');
    await write(`assignment/${assignment}`, { group_ids: group.data['id'] });
    const client = await clientOf({ assignments: assignment });
    expect((await authorize(client, {}, member)).status).toBe(200);
    expect((await authorize(client, {}, stranger)).body).toMatchObject({ error: 'access_denied' });
    const refusal = service.name('logs-in-nowhere');
    await service.ask('PUT', `sys/policies/acl/${refusal}`, {
      policy: 'path "identity/oidc/provider/+/authorize" { capabilities = ["deny"] }',
    });
    expect((await authorize(client, {}, await someone(service, [refusal]))).status).toBe(403);
    expect((await authorize(client, {}, { ...caller, token: service.rootToken })).body).toMatchObject({
      error: 'access_denied',
    });
    const code = await codeOf(client, {}, member);
    await write(`assignment/${assignment}`, { group_ids: [] });
    expect((await exchange(client, { code })).body).toMatchObject({ error: 'access_denied' });
  });
});

describe('resources', () => {
  test('have what every namespace has', async () => {
    expect((await read('assignment/allow_all')).data).toEqual({ entity_ids: ['*'], group_ids: ['*'] });
    expect((await read('provider/default')).data).toMatchObject({ allowed_client_ids: ['*'], scopes_supported: [] });
    for (const path of ['assignment/allow_all', 'provider/default'])
      expect((await service.ask('DELETE', `identity/oidc/${path}`)).status).toBe(400);
    expect((await write('assignment/allow_all')).status).toBe(400);
    expect((await write('scope/openid')).status).toBe(400);
    for (const [kind, name] of [
      ['assignment', 'allow_all'],
      ['provider', 'default'],
    ])
      expect((await service.ask('LIST', `identity/oidc/${kind}`)).data['keys']).toContain(name);
  });

  test('in use are not deleted, and name what exists', async () => {
    const [assignment, scope] = [service.name('a'), service.name('s')];
    await write(`assignment/${assignment}`);
    await write(`scope/${scope}`, { template: '{"a": 1}' });
    const { name } = await clientOf({ assignments: assignment }, { scopes_supported: scope });
    expect((await service.ask('DELETE', `identity/oidc/assignment/${assignment}`)).errors).toEqual([
      `unable to delete assignment "${assignment}" because it is currently referenced by these clients: ${name}`,
    ]);
    expect((await service.ask('DELETE', `identity/oidc/scope/${scope}`)).status).toBe(400);
    expect((await service.ask('DELETE', `identity/oidc/key/${name}`)).errors[0]).toContain('these clients');
    expect((await write(`key/${name}`, { verification_ttl: 60 })).errors[0]).toContain('id_token_ttl greater than 60');
    expect((await write(`client/${name}`, { client_type: 'public' })).errors).toEqual([
      'client_type modification is not allowed',
    ]);
    expect((await write(`client/${name}`, { key: 'default' })).errors).toEqual(['key modification is not allowed']);
    expect((await write(`client/${name}`, { assignments: 'nowhere' })).errors).toEqual([
      'assignment "nowhere" does not exist',
    ]);
    expect((await write(`provider/${name}`, { scopes_supported: 'nowhere' })).errors).toEqual([
      'scope "nowhere" does not exist',
    ]);
    const { data } = await service.ask('LIST', 'identity/oidc/client');
    expect(Object(data['key_info'])[name]).toMatchObject({ client_type: 'confidential', key: name });
    expect(JSON.stringify(data)).not.toContain('hvo_secret');
    const { rows } = await sql<{ text: string }>`
      select encode(secret, 'escape') as text from oidc_clients where name = ${name}`.execute(service.store.db);
    expect(rows[0]?.text).not.toContain('hvo_secret');
    for (const kind of ['provider', 'client', 'assignment', 'scope', 'key'])
      await service.ask(
        'DELETE',
        `identity/oidc/${kind}/${kind === 'assignment' ? assignment : kind === 'scope' ? scope : name}`,
      );
    expect((await read(`key/${name}`)).status).toBe(404);
  });
});
