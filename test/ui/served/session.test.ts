import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { type Headers, sendJson } from './raw.ts';

const service = serviceOf([]);

const send = (method: string, path: string, headers: Headers = {}, body?: unknown) =>
  sendJson(`${service.address}${path}`, method, headers, body);

const page = { 'x-keyferry-ui': '1', 'sec-fetch-site': 'same-origin' };
const begin = { ...page, 'x-keyferry-session': 'begin' };

/** The cookie as a browser sends it back. */
const cookieOf = (cookies: readonly string[]): string => cookies[0]?.split(';', 1)[0] ?? '';

async function loggedIn(token = service.rootToken): Promise<string> {
  const { status, cookies } = await send('POST', '/v1/auth/token/session', { ...begin, 'x-service-token': token }, {});
  expect(status).toBe(200);
  return cookieOf(cookies);
}

describe('a session', () => {
  test('is a child of the token, in a cookie that scripts cannot read, and in no reply', async () => {
    const reply = await send('POST', '/v1/auth/token/session', { ...begin, 'x-service-token': service.rootToken }, {});
    const port = new URL(service.address).port;
    expect(reply.body['auth']).toMatchObject({ client_token: '', lease_duration: 28_800, renewable: true });
    expect(reply.cookies).toEqual([
      expect.stringMatching(
        new RegExp(`^keyferry-${port}=hvs\\.\\S+; Path=/v1; Max-Age=28800; HttpOnly; SameSite=Strict$`),
      ),
      expect.stringMatching(
        new RegExp(`^keyferry-${port}=hvs\\.\\S+; Path=/api/v2; Max-Age=28800; HttpOnly; SameSite=Strict$`),
      ),
    ]);
  });

  test('has the prefix and the mark of TLS where the browser came over https, also through a proxy', async () => {
    const headers = { ...begin, origin: 'https://keys.example', 'x-service-token': service.rootToken };
    const { cookies } = await send('POST', '/v1/auth/token/session', headers, {});
    expect(cookies[0]).toMatch(/^__Secure-keyferry=hvs\.\S+; Path=\/v1; .*; Secure$/);
    const cookie = cookieOf(cookies);
    expect((await send('GET', '/v1/auth/token/lookup-self', { ...page, cookie, host: 'keys.example' })).status).toBe(
      200,
    );
  });

  test('does not begin without TLS on another host', async () => {
    const headers = { ...begin, host: 'keys.example:8200', 'x-service-token': service.rootToken };
    const { status, cookies, errors } = await send('POST', '/v1/auth/token/session', headers, {});
    expect([status, cookies, errors.join()]).toEqual([400, [], expect.stringContaining('needs TLS')]);
  });

  test('counts only with the header of the page, from the page itself', async () => {
    const cookie = await loggedIn();
    const look = (headers: Headers) => send('GET', '/v1/auth/token/lookup-self', { cookie, ...headers });
    expect((await look(page)).status).toBe(200);
    expect((await look({})).status).toBe(403);
    expect((await look({ 'x-keyferry-ui': '1' })).status).toBe(403);
    expect((await look({ 'sec-fetch-site': 'same-origin' })).status).toBe(403);
    expect((await look({ ...page, 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await look({ ...page, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await look({ ...page, 'sec-fetch-site': 'none' })).status).toBe(403);
  });

  test('cannot be used by a forged request of another site', async () => {
    const cookie = await loggedIn();
    const name = service.name('forged');
    const forged = {
      cookie,
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
      'content-type': 'text/plain',
    };
    expect((await send('POST', `/v1/secret/data/${name}`, forged, { data: { a: '1' } })).status).toBe(403);
    expect((await service.ask('GET', `secret/data/${name}`)).status).toBe(404);
    const own = { ...page, cookie, origin: service.address };
    expect((await send('POST', `/v1/secret/data/${name}`, own, { data: { a: '1' } })).status).toBe(200);
  });

  test('counts for the workspace service too, with the same two marks', async () => {
    const reply = await send('POST', '/v1/auth/token/session', { ...begin, 'x-service-token': service.rootToken }, {});
    const cookie = cookieOf(reply.cookies.filter((one) => one.includes('Path=/api/v2')));
    const look = (headers: Headers) => send('GET', '/api/v2/organizations', { cookie, ...headers });
    expect((await look(page)).status).toBe(200);
    expect((await look({})).status).toBe(401);
    expect((await look({ ...page, 'sec-fetch-site': 'cross-site' })).status).toBe(401);
  });

  test('never has its token in a reply', async () => {
    const cookie = await loggedIn();
    const token = cookie.split('=')[1] ?? '';
    const looked = await send('GET', '/v1/auth/token/lookup-self', { ...page, cookie });
    expect(looked.data).toMatchObject({ display_name: 'token-root', id: '' });
    const renewed = await send('POST', '/v1/auth/token/renew-self', { ...page, cookie }, {});
    expect([looked.text, renewed.text].join()).not.toContain(token);
    expect(renewed.cookies).toEqual([]);
  });

  test('is renewed in its cookie, and ends with the log out', async () => {
    const cookie = await loggedIn();
    const renewed = await send('POST', '/v1/auth/token/renew-self', { ...begin, cookie }, { increment: '8h' });
    expect([cookieOf(renewed.cookies), renewed.cookies.length]).toEqual([cookie, 2]);
    const out = await send('POST', '/v1/auth/token/revoke-self', { ...page, cookie, 'x-keyferry-session': 'end' }, {});
    expect(out.status).toBe(204);
    expect(out.cookies).toEqual([expect.stringContaining('Max-Age=0'), expect.stringContaining('Max-Age=0')]);
    expect((await send('GET', '/v1/auth/token/lookup-self', { ...page, cookie })).status).toBe(403);
  });

  test('ends with the token that it was made from', async () => {
    const { client_token } = (await service.ask('POST', 'auth/token/create', {})).body['auth'] as {
      client_token: string;
    };
    const cookie = await loggedIn(client_token);
    await service.ask('POST', 'auth/token/revoke', { token: client_token });
    expect((await send('GET', '/v1/auth/token/lookup-self', { ...page, cookie })).status).toBe(403);
  });

  test('needs no policy, and has those of its token', async () => {
    const made = await service.ask('POST', 'auth/token/create', { policies: ['none'], no_default_policy: true });
    const cookie = await loggedIn((made.body['auth'] as { client_token: string }).client_token);
    expect((await send('GET', '/v1/sys/mounts', { ...page, cookie })).status).toBe(403);
    const open = await send('GET', '/v1/sys/internal/ui/mounts', { ...page, cookie });
    expect(open.status).toBe(200);
  });

  test('keeps the addresses to which its token is bound', async () => {
    await service.ask('POST', 'auth/token/roles/bound', { bound_cidrs: ['127.0.0.0/8'] });
    const made = await service.ask('POST', 'auth/token/create/bound', { policies: ['default'] });
    const cookie = await loggedIn((made.body['auth'] as { client_token: string }).client_token);
    const { data } = await send('GET', '/v1/auth/token/lookup-self', { ...page, cookie });
    expect(data['bound_cidrs']).toEqual(['127.0.0.0/8']);
  });

  test('begins with the login of a method', async () => {
    await service.ask('POST', 'sys/auth/userpass', { type: 'userpass' });
    await service.ask('POST', 'auth/userpass/users/ada', { password: 'correct horse' });
    const reply = await send('POST', '/v1/auth/userpass/login/ada', begin, { password: 'correct horse' });
    expect(reply.body['auth']).toMatchObject({ client_token: '', metadata: { username: 'ada' } });
    const cookie = cookieOf(reply.cookies);
    expect((await send('GET', '/v1/auth/token/lookup-self', { ...page, cookie })).data['display_name']).toBe(
      'userpass-ada',
    );
    const wrong = await send('POST', '/v1/auth/userpass/login/ada', begin, { password: 'wrong' });
    expect([wrong.status, wrong.cookies]).toEqual([400, []]);
  });

  test('is not for tokens that cannot have children', async () => {
    const asked = async (more: object) => {
      const made = await service.ask('POST', 'auth/token/create', more);
      const { client_token } = made.body['auth'] as { client_token: string };
      return (await send('POST', '/v1/auth/token/session', { ...begin, 'x-service-token': client_token }, {})).status;
    };
    expect(await asked({ type: 'batch', policies: ['default'] })).toBe(400);
    expect(await asked({ num_uses: 3 })).toBe(400);
    expect((await send('POST', '/v1/auth/token/session', begin, {})).status).toBe(403);
  });
});

describe('the page', () => {
  test('gets a reply that it has already without its body', async () => {
    const cookie = await loggedIn();
    const first = await send('GET', '/v1/sys/mounts', { ...page, cookie });
    expect([first.status, first.etag]).toEqual([200, expect.stringMatching(/^".{22}"$/)]);
    const again = await send('GET', '/v1/sys/mounts', { ...page, cookie, 'if-none-match': first.etag });
    expect([again.status, again.text]).toEqual([304, '']);
    await service.ask('POST', `sys/mounts/${service.name('more')}`, { type: 'kv' });
    expect((await send('GET', '/v1/sys/mounts', { ...page, cookie, 'if-none-match': first.etag })).status).toBe(200);
  });

  test('is in the namespace that it names', async () => {
    const cookie = await loggedIn();
    const name = service.name('team');
    await service.ask('POST', `sys/namespaces/${name}`, {});
    const within = { ...page, cookie, 'x-service-namespace': name };
    await send('POST', '/v1/sys/policies/acl/own', within, { policy: 'path "a" { capabilities = ["read"] }' });
    expect((await send('GET', '/v1/sys/policies/acl/own', within)).status).toBe(200);
    expect((await send('GET', '/v1/sys/policies/acl/own', { ...page, cookie })).status).toBe(404);
  });
});
