import { describe, expect, test } from 'vitest';
import { createServer } from '../../lib/http/server.ts';
import { fakeGatekeeper, keptLog, mount, mountTable, sampleParts } from './sample.ts';

const root = { 'x-service-token': 'root' };
const reader = { 'x-service-token': 'reader' };

async function ask(
  method: string,
  url: string,
  more: { headers?: Record<string, string>; payload?: string } = {},
  parts = sampleParts(),
) {
  const { headers = root, payload } = more;
  const reply = await createServer(parts).inject({
    method,
    url,
    headers,
    ...(payload === undefined ? {} : { payload }),
  });
  return { status: reply.statusCode, headers: reply.headers, body: reply.body, json: () => JSON.parse(reply.body) };
}

describe('the envelope', () => {
  test('its members stand in the order of the API family', async () => {
    const { json, headers } = await ask('GET', '/v1/sys/open');
    expect(Object.keys(json())).toEqual([
      'request_id',
      'lease_id',
      'renewable',
      'lease_duration',
      'data',
      'wrap_info',
      'warnings',
      'auth',
      'mount_type',
    ]);
    expect(json()).toMatchObject({
      lease_id: '',
      renewable: false,
      lease_duration: 0,
      wrap_info: null,
      warnings: null,
      auth: null,
      mount_type: 'system',
    });
    expect(headers['content-type']).toBe('application/json');
    expect(headers['cache-control']).toBe('no-store');
  });

  test('flat replies stand at the top level as well', async () => {
    const { json } = await ask('GET', '/v1/sys/flat');
    expect(json()).toMatchObject({ keys: ['a'], data: { keys: ['a'] } });
  });

  test('a login answers the auth object in its order', async () => {
    const { json } = await ask('POST', '/v1/sys/login', { headers: {}, payload: '{"role":"r","password":"p"}' });
    expect(Object.keys(json().auth)).toEqual([
      'client_token',
      'accessor',
      'policies',
      'token_policies',
      'metadata',
      'lease_duration',
      'renewable',
      'entity_id',
      'token_type',
      'orphan',
      'num_uses',
      'mfa_requirement',
    ]);
  });

  test.each([
    ['POST', '/v1/sys/nothing', 204, ''],
    ['PUT', '/v1/sys/nothing', 204, ''],
    ['GET', '/v1/sys/nothing', 404, '{"errors":[]}'],
    ['LIST', '/v1/sys/nothing', 404, '{"errors":[]}'],
    ['LIST', '/v1/sys/empty', 404, '{"errors":[]}'],
    ['GET', '/v1/sys/empty?list=true', 404, '{"errors":[]}'],
  ])('%s %s with nothing to say answers %i', async (method, url, status, body) => {
    expect(await ask(method, url)).toMatchObject({ status, body });
  });

  test('a listing without keys but with other data is an answer', async () => {
    expect((await ask('LIST', '/v1/sys/summary')).status).toBe(200);
  });

  test('a write that only warns answers 200 with the warning', async () => {
    const { status, json } = await ask('POST', '/v1/sys/warned');
    expect(status).toBe(200);
    expect(json()).toMatchObject({ data: null, warnings: ['look out'] });
  });

  test('a handler may answer another status with a whole envelope', async () => {
    const { status, json } = await ask('GET', '/v1/versioned/deleted');
    expect(status).toBe(404);
    expect(json().data).toEqual({ data: null, metadata: {} });
  });
});

describe('statuses', () => {
  test.each([
    ['bad-request', 400],
    ['permission-denied', 403],
    ['not-found', 404],
    ['unsupported-path', 404],
    ['unsupported-operation', 405],
    ['too-large', 413],
    ['unsupported-media', 415],
    ['too-many-requests', 429],
    ['upstream', 502],
    ['unavailable', 503],
    ['internal', 500],
  ])('an error of kind %s is %i', async (kind, expected) => {
    const { status, json } = await ask('GET', `/v1/sys/fail/${kind}`);
    expect(status).toBe(expected);
    expect(json()).toEqual({ errors: [`it is ${kind}`] });
  });

  test('an unexpected error tells the caller nothing and the log no value', async () => {
    const log = keptLog();
    const { status, body } = await ask('GET', '/v1/sys/broken', {}, sampleParts({ log }));
    expect(status).toBe(500);
    expect(body).toBe('{"errors":["internal error"]}');
    expect(log.lines).toHaveLength(1);
    expect(log.lines[0]).toMatch(/requestId.*sample\.ts/);
    expect(log.lines.join()).not.toContain('marker-value');
  });
});

describe('the order of the checks', () => {
  test.each([
    ['no token', 'GET', '/v1/secret/a', {}, 403, 'permission denied'],
    ['a bad token', 'GET', '/v1/secret/a', { 'x-service-token': 'nobody' }, 403, 'permission denied'],
    ['an unknown mount, not root', 'GET', '/v1/nowhere/a', reader, 403, '1 error occurred:\n\t* permission denied\n\n'],
    [
      'an unknown mount, root',
      'GET',
      '/v1/nowhere/a',
      root,
      404,
      'no handler for route "nowhere/a". route entry not found.',
    ],
    ['an unknown path', 'GET', '/v1/sys/no-such', root, 404, '1 error occurred:\n\t* unsupported path\n\n'],
    [
      'a name that ends in a period',
      'GET',
      '/v1/sys/fail/internal.',
      root,
      404,
      '1 error occurred:\n\t* unsupported path\n\n',
    ],
    ['an unknown operation', 'DELETE', '/v1/sys/health', root, 405, '1 error occurred:\n\t* unsupported operation\n\n'],
    ['a missing sudo', 'GET', '/v1/sys/guarded', reader, 403, '1 error occurred:\n\t* permission denied\n\n'],
    ['a write to a folder', 'POST', '/v1/secret/a/', root, 400, "cannot write to a path ending in '/'"],
    ['a climbing path', 'GET', '/v1/secret%2f..%2fa', root, 400, 'relative paths not supported'],
    [
      'a climbing namespace',
      'GET',
      '/v1/a',
      { ...root, 'x-service-namespace': 'x/..' },
      400,
      'relative paths not supported',
    ],
    ['an unprintable path', 'GET', '/v1/secret/a%07', root, 400, 'path contains unprintable characters'],
    ['a bad escape', 'GET', '/v1/secret/%zz', root, 400, 'path has an invalid percent-encoding'],
    ['a write to an unclean path', 'POST', '/v1/secret//a', root, 400, 'the path has empty or "." segments'],
    [
      'a list flag that is no bool',
      'GET',
      '/v1/secret/a?list=maybe',
      root,
      400,
      'the query parameter "list" must be a boolean',
    ],
    [
      'a wrapped reply',
      'GET',
      '/v1/secret/a',
      { ...root, 'x-vault-wrap-ttl': '60' },
      400,
      'response wrapping is not supported',
    ],
    ['an engine that is not there', 'GET', '/v1/odd/a', root, 500, 'no engine of type "unknown" serves odd/'],
  ])('%s', async (_name, method, url, headers, status, error) => {
    const reply = await ask(method, url, { headers });
    expect(reply.json()).toEqual({ errors: [error] });
    expect(reply.status).toBe(status);
  });

  test.each(['OPTIONS', 'SCAN', 'LOCK', 'PURGE', 'QUERY'])('the verb %s is 405 without a text', async (method) => {
    expect(await ask(method, '/v1/secret/a')).toMatchObject({ status: 405, body: '{"errors":[]}' });
  });

  test('a path outside the API is 404 without a text', async () => {
    expect(await ask('GET', '/elsewhere')).toMatchObject({ status: 404, body: '{"errors":[]}' });
  });

  test('an unclean path that is read leads to the clean one', async () => {
    const { status, headers } = await ask('GET', '/v1/secret//a/./b%20c?version=1');
    expect(status).toBe(301);
    expect(headers['location']).toBe('/v1/secret/a/b%20c?version=1');
  });

  test('the 404 of an engine carries its warning', async () => {
    const { json } = await ask('GET', '/v1/versioned/a');
    expect(json()).toEqual({
      errors: ['1 error occurred:\n\t* unsupported path\n\n'],
      warnings: ['this mount has versions'],
    });
  });

  test('a mount without its slash means the mount', async () => {
    expect((await ask('LIST', '/v1/secret')).body).toBe('{"errors":[]}');
    expect((await ask('GET', '/v1/secret')).body).toBe('{"errors":[]}');
  });

  test('a denied caller learns nothing of a body that is wrong', async () => {
    const { status } = await ask('POST', '/v1/versioned/data/a', { headers: reader, payload: '{"data":1}' });
    expect(status).toBe(403);
  });

  test('a write is create or update as the row says', async () => {
    const gatekeeper = fakeGatekeeper();
    const parts = sampleParts({ gatekeeper });
    for (const name of ['there', 'new'])
      await ask('POST', `/v1/sys/sync/destinations/x/${name}`, { headers: reader }, parts);
    expect(gatekeeper.needs.map(({ capability }) => capability)).toEqual(['update', 'create']);
  });

  test('the capability of a listing is asked on the path with its slash', async () => {
    const gatekeeper = fakeGatekeeper();
    await ask('LIST', '/v1/secret/open', { headers: reader }, sampleParts({ gatekeeper }));
    expect(gatekeeper.needs).toEqual([{ capability: 'list', path: 'secret/open/', sudo: false }]);
  });

  test('a handler can ask for another path', async () => {
    expect((await ask('GET', '/v1/sys/allowed/secret/open/x', { headers: reader })).status).toBe(200);
    expect((await ask('GET', '/v1/sys/allowed/secret/closed', { headers: reader })).status).toBe(403);
  });

  test('a request that takes too long ends with 503 and its handler is told', async () => {
    const { lastSignal } = await import('./sample.ts');
    const { status, json } = await ask('GET', '/v1/sys/slow', {}, sampleParts({ requestTimeoutMs: 50 }));
    expect(status).toBe(503);
    expect(json()).toEqual({ errors: ['the request took too long'] });
    expect(lastSignal()?.aborted).toBe(true);
  });
});

describe('while sealed or not initialised', () => {
  const sealed = (state: 'sealed' | 'uninitialised') =>
    sampleParts({
      state: () => state,
      mounts: { resolve: () => Promise.reject(new Error('the store is out of reach')) },
      gatekeeper: {
        authenticate: () => Promise.reject(new Error('out of reach')),
        authorise: () => Promise.reject(new Error('out of reach')),
      },
    });

  test.each(['sealed', 'uninitialised'] as const)('%s: everything but the marked operations is 503', async (state) => {
    expect(await ask('GET', '/v1/secret/a', {}, sealed(state))).toMatchObject({
      status: 503,
      body: '{"errors":["Service is sealed"]}',
    });
    expect(await ask('GET', '/v1/secret/a', { headers: { 'x-vault-token': 'root' } }, sealed(state))).toMatchObject({
      status: 503,
      body: '{"errors":["Vault is sealed"]}',
    });
    expect(await ask('GET', '/v1/sys/flat', {}, sealed(state))).toMatchObject({ status: 503 });
    expect(await ask('GET', '/v1/sys/health?help=1', {}, sealed(state))).toMatchObject({ status: 503 });
    expect(await ask('GET', '/v1/sys/health', { headers: {} }, sealed(state))).toMatchObject({
      status: 200,
      body: '{"ok":true}',
    });
    expect(await ask('PUT', '/v1/sys/seal', {}, sealed(state))).toMatchObject({ status: 204 });
  });

  test('a request that cannot be read is refused all the same', async () => {
    expect((await ask('POST', '/v1/secret/a', { payload: '{' }, sealed('sealed'))).status).toBe(400);
  });

  test('unsealed, an operation that answers always needs its token again', async () => {
    expect((await ask('PUT', '/v1/sys/seal', { headers: {} })).status).toBe(403);
  });

  test('a store that is away is 503', async () => {
    const { AppError } = await import('../../lib/core/errors.ts');
    const mounts = { resolve: () => Promise.reject(new AppError('unavailable', 'the database does not answer')) };
    expect(await ask('GET', '/v1/secret/a', {}, sampleParts({ mounts }))).toMatchObject({
      status: 503,
      body: '{"errors":["the database does not answer"]}',
    });
  });
});

describe('bodies', () => {
  const write = (payload: string, headers: Record<string, string> = {}) =>
    ask('POST', '/v1/versioned/data/a', { headers: { ...root, ...headers }, payload });

  test('numbers keep their digits on the way in and out', async () => {
    const server = createServer(sampleParts());
    const numbers = '{"big":12345678901234567890,"one":1.0,"huge":1e400,"nested":{"deep":[0.10]}}';
    await server.inject({ method: 'POST', url: '/v1/versioned/data/n', headers: root, payload: `{"data":${numbers}}` });
    const reply = await server.inject({ method: 'GET', url: '/v1/versioned/data/n', headers: root });
    expect(reply.body).toContain(`"data":{"data":${numbers}}`);
  });

  test('a plain secret may have members named like a parameter or a prototype', async () => {
    const server = createServer(sampleParts());
    const secret = '{"path":"/elsewhere","__proto__":"x","big":12345678901234567890}';
    await server.inject({ method: 'PUT', url: '/v1/secret/a', headers: root, payload: secret });
    const reply = await server.inject({ method: 'GET', url: '/v1/secret/a', headers: root });
    expect(reply.body).toContain(`"data":${secret}`);
    expect((await server.inject({ method: 'GET', url: '/v1/secret/elsewhere', headers: root })).statusCode).toBe(404);
  });

  test.each([
    ['{"data":{"password":"marker-value"', 'invalid JSON'],
    ['marker-value', 'invalid JSON'],
    ['["marker-value"]', 'expected an object, got an array'],
    ['12345678901234567890', 'expected an object, got a number'],
    ['"marker-value"', 'expected an object, got a string'],
  ])('%s is refused without being quoted', async (payload, problem) => {
    const { status, body, json } = await write(payload, { 'content-type': 'application/json' });
    expect(status).toBe(400);
    expect(json().errors[0]).toContain(`failed to decode JSON input: ${problem}`);
    expect(body).not.toContain('marker');
  });

  test('a JSON error tells the place', async () => {
    const { json } = await write('{"data": {,}}');
    expect(json().errors[0]).toMatch(/^failed to decode JSON input: invalid JSON at character 10$/);
  });

  test.each(['', '  ', 'null'])('the body %j is no data', async (payload) => {
    expect((await write(payload)).json()).toEqual({
      errors: ['Field validation failed: missing required field "data"'],
    });
  });

  test('forms are read, and JSON that is called a form is read as JSON', async () => {
    const form = { ...root, 'content-type': 'application/x-www-form-urlencoded' };
    const url = '/v1/sys/sync/destinations/x/y';
    const sent = await ask('POST', url, { headers: form, payload: 'allowed_ports=80&allowed_ports=443' });
    expect(sent.json().data).toMatchObject({ allowed_ports: ['80', '443'] });
    const json = await ask('POST', url, { headers: form, payload: ' {"allowed_ports":"80,443"}' });
    expect(json.json().data).toMatchObject({ allowed_ports: ['80', '443'] });
  });

  test('a content type of any other kind is JSON', async () => {
    expect((await write('{"data":{}}', { 'content-type': 'text/plain; charset=utf-8' })).status).toBe(200);
  });

  test.each([
    ['application/json', 415, 'PATCH requires Content-Type of application/merge-patch+json, provided application/json'],
    [undefined, 400, 'mime: no media type'],
  ])('PATCH with content type %j is %i', async (type, status, error) => {
    const headers = { ...root, ...(type === undefined ? {} : { 'content-type': type }) };
    const reply = await ask('PATCH', '/v1/versioned/data/a', { headers, payload: '{"data":{}}' });
    expect(reply.status).toBe(status);
    expect(reply.json()).toEqual({ errors: [error] });
  });

  test('PATCH takes a merge patch', async () => {
    const headers = { ...root, 'content-type': 'application/merge-patch+json; charset=utf-8' };
    expect((await ask('PATCH', '/v1/versioned/data/a', { headers, payload: '{"data":{}}' })).status).toBe(200);
  });

  test('unknown and overridden members are warned of when there is a body to do so', async () => {
    const payload = '{"b":1,"a":2,"name":"z"}';
    const { json } = await ask('POST', '/v1/sys/sync/destinations/x/y', { payload });
    expect(json().warnings).toEqual([
      'Endpoint ignored these unrecognized parameters: [a b]',
      "Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [name]",
    ]);
    expect(json().data.name).toBe('y');
    expect((await ask('POST', '/v1/sys/nothing', { payload })).status).toBe(204);
  });

  test('a sensitive field of a wrong type is never quoted', async () => {
    const payload = '{"role":"r","password":["marker-value"]}';
    const { status, body, json } = await ask('POST', '/v1/sys/login', { headers: {}, payload });
    expect(status).toBe(400);
    expect(json().errors).toEqual([
      'Field validation failed: error converting input for field "password": expected string',
    ]);
    expect(body).not.toContain('marker-value');
  });
});

describe('names', () => {
  test.each([
    [{ 'x-service-token': 'root' }, 200],
    [{ 'x-vault-token': 'root' }, 200],
    [{ authorization: 'Bearer root' }, 200],
    [{ 'x-vault-token': 'root', authorization: 'Bearer nobody' }, 200],
    [{ 'x-service-token': 'nobody', 'x-vault-token': 'root' }, 403],
    [{ authorization: 'Basic root' }, 403],
  ])('the token is taken from %j', async (headers, status) => {
    expect((await ask('GET', '/v1/sys/flat', { headers })).status).toBe(status);
  });

  test('a namespace is the first part of the path and goes back under its name', async () => {
    const parts = sampleParts();
    const server = createServer(parts);
    await server.inject({ method: 'POST', url: '/v1/team/secret/a', headers: root, payload: '{"x":1}' });
    for (const name of ['x-service-namespace', 'x-vault-namespace']) {
      const reply = await server.inject({ method: 'GET', url: '/v1/secret/a', headers: { ...root, [name]: '/team/' } });
      expect(reply.json().data).toEqual({ x: 1 });
      expect(reply.headers[name]).toBe('/team/');
    }
    const reply = await server.inject({
      method: 'GET',
      url: '/v1/team/secret/a',
      headers: { ...root, 'x-vault-namespace': 'root' },
    });
    expect(reply.statusCode).toBe(200);
  });

  test.each([
    ['/v1/sys/sync/destinations/cloud-a-sm/d', 'x-service-token', 'cloud-a-sm'],
    ['/v1/sys/sync/destinations/aws-sm/d', 'x-service-token', 'aws-sm'],
    ['/v1/sys/sync/destinations/cloud-a-sm/d', 'x-vault-token', 'aws-sm'],
    ['/v1/sys/sync/destinations/gh/d', 'x-vault-token', 'gh'],
    ['/v1/sys/sync/destinations/unknown/d', 'x-vault-token', 'unknown'],
  ])('%s with %s answers type %s', async (url, header, type) => {
    expect((await ask('GET', url, { headers: { [header]: 'root' } })).json().data.type).toBe(type);
  });

  test('a mount that a user named like a type keeps its name', async () => {
    const mounts = mountTable([mount('aws-sm/', 'kv', { version: '1' })]);
    const { json } = await ask('GET', '/v1/aws-sm/x', {}, sampleParts({ mounts }));
    expect(json()).toEqual({ errors: [] });
  });

  test('an operation that needs no token still learns who calls', async () => {
    expect((await ask('GET', '/v1/sys/open', { headers: {} })).json().data.caller).toBeNull();
    expect(
      (await ask('GET', '/v1/sys/open', { headers: { 'x-service-token': 'nobody' } })).json().data.caller,
    ).toBeNull();
    expect((await ask('GET', '/v1/sys/open')).json().data.caller).toBe('root');
  });
});

describe('help', () => {
  test('it has no envelope, and its document is relative to the path', async () => {
    const { status, json } = await ask('GET', '/v1/sys/sync/destinations?help=1', { headers: reader });
    expect(status).toBe(200);
    expect(Object.keys(json())).toEqual(['help', 'see_also', 'openapi']);
    expect(Object.keys(json().openapi.paths)).toEqual(['/{type}/{name}']);
  });

  test('the verb HELP is the same', async () => {
    const byVerb = await ask('HELP', '/v1/sys/login');
    expect(byVerb.body).toBe((await ask('GET', '/v1/sys/login?help=1')).body);
    expect(byVerb.json().help).toContain('# sys/login');
  });

  test.each([
    ['/v1/sys/login?help=1', {}, 403],
    ['/v1/sys/no-such?help=1', root, 404],
    ['/v1/nowhere?help=1', root, 404],
    ['/v1/nowhere?help=1', reader, 403],
    ['/v1/secret?help=1', reader, 200],
    ['/v1/sys?help=1', reader, 200],
  ])('%s is answered as any path is', async (url, headers, status) => {
    expect((await ask('GET', url, { headers })).status).toBe(status);
  });
});
