import { describe, expect, test } from 'vitest';
import { AppError } from '#core/errors.ts';
import { ask, reader, root } from '../ask.ts';
import { fakeGatekeeper, sampleParts } from '../sample.ts';
import { lastSignal } from '../sample-system.ts';

const invalidToken = '2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n';

describe('the order of the checks', () => {
  test.each([
    ['no token', 'GET', '/v1/secret/a', {}, 403, 'permission denied'],
    ['a bad token', 'GET', '/v1/secret/a', { 'x-service-token': 'nobody' }, 403, invalidToken],
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
    ['a path with ..', 'GET', '/v1/secret%2f..%2fa', root, 400, 'relative paths not supported'],
    [
      'a namespace with ..',
      'GET',
      '/v1/a',
      { ...root, 'x-service-namespace': 'x/..' },
      400,
      'relative paths not supported',
    ],
    ['too many segments', 'GET', `/v1/secret/${'a/'.repeat(511)}b`, {}, 400, 'a path may have at most 512 segments'],
    ['an unprintable path', 'GET', '/v1/secret/a%07', root, 400, 'path contains unprintable characters'],
    ['a bad escape', 'GET', '/v1/secret/%zz', root, 400, 'path has an invalid percent-encoding'],
    ['a write to an unclean path', 'POST', '/v1/secret//a', root, 400, 'the path has empty or "." segments'],
    [
      'a list flag that is not a boolean',
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
    [
      'a wrapped reply with a negative lifetime',
      'GET',
      '/v1/secret/a',
      { ...root, 'x-service-wrap-ttl': '-1' },
      400,
      'requested wrap ttl cannot be negative',
    ],
    [
      'a wrapped reply with an invalid lifetime',
      'GET',
      '/v1/secret/a',
      { ...root, 'x-vault-wrap-ttl': 'long' },
      400,
      'error parsing the header x-vault-wrap-ttl: expected a number of seconds or a text such as "30s"',
    ],
    [
      'a mount of an unknown engine',
      'GET',
      '/v1/odd/a',
      root,
      404,
      'no handler for route "odd/a". route entry not found.',
    ],
  ])('%s', async (_name, method, url, headers, status, error) => {
    const reply = await ask(method, url, { headers });
    expect(reply.json()).toMatchObject({ errors: [error] });
    expect(reply.status).toBe(status);
  });

  test.each(['OPTIONS', 'SCAN', 'LOCK', 'PURGE', 'QUERY'])('the verb %s is 405 without a text', async (method) => {
    expect(await ask(method, '/v1/secret/a')).toMatchObject({ status: 405, body: '{"errors":[]}' });
  });

  test.each([
    ['DELETE', '/v1/sys/health', 'GET, HEAD'],
    ['PATCH', '/v1/sys/nothing', 'GET, HEAD, LIST, POST, PUT'],
    ['LIST', '/v1/sys/login', 'POST, PUT'],
    ['GET', '/v1/sys/empty', 'LIST'],
    ['GET', '/v1/sys/login', 'POST, PUT'],
    ['PATCH', '/v1/secret/a', 'GET, HEAD, LIST, POST, PUT, DELETE'],
    ['LIST', '/v1/sys/flat', 'GET, HEAD'],
    ['PURGE', '/v1/secret/a', 'GET, HEAD, HELP, LIST, POST, PUT, PATCH, DELETE'],
  ])('%s %s is 405 with the verbs of the path', async (method, url, allow) => {
    const headers = method === 'PATCH' ? { ...root, 'content-type': 'application/merge-patch+json' } : root;
    const reply = await ask(method, url, { headers });
    expect([reply.status, reply.headers['allow']]).toEqual([405, allow]);
  });

  test('a path outside the API is 404 without a text', async () => {
    expect(await ask('GET', '/elsewhere')).toMatchObject({ status: 404, body: '{"errors":[]}' });
  });

  test('a read of an unclean path is redirected to the clean one', async () => {
    const { status, headers } = await ask('GET', '/v1/secret//a/./b%20c?version=1');
    expect(status).toBe(301);
    expect(headers['location']).toBe('/v1/secret/a/b%20c?version=1');
  });

  test('a folder that cannot be listed is 404 with the warning of the engine', async () => {
    for (const path of ['/v1/versioned/data', '/v1/versioned/data/', '/v1/versioned/data/a']) {
      const { status, json } = await ask('LIST', path);
      expect(status).toBe(404);
      expect(json()).toMatchObject({ warnings: ['this mount has versions: list elsewhere'] });
    }
    expect((await ask('DELETE', '/v1/versioned/data/a')).status).toBe(405);
    expect((await ask('LIST', '/v1/sys/flat')).status).toBe(405);
  });

  test('the 404 of an engine contains its warning', async () => {
    const { json } = await ask('GET', '/v1/versioned/a');
    expect(json()).toEqual({
      errors: ['1 error occurred:\n\t* unsupported path\n\n'],
      warnings: ['this mount has versions: read elsewhere'],
    });
  });

  test('the path of a mount may omit its slash', async () => {
    expect((await ask('LIST', '/v1/secret')).body).toBe('{"errors":[]}');
    expect((await ask('GET', '/v1/secret')).body).toBe('{"errors":[]}');
  });

  test('a caller without permission does not learn that a body is invalid', async () => {
    const { status } = await ask('POST', '/v1/versioned/data/a', { headers: reader, payload: '{"data":1}' });
    expect(status).toBe(403);
  });

  test.each([
    ['create', 'new', 'there'],
    ['update', 'there', 'new'],
  ])(
    'a caller who may only %s may write a secret that is %s but not one that is %s',
    async (capability, granted, refused) => {
      const parts = sampleParts({
        gatekeeper: {
          ...fakeGatekeeper(),
          authorise: async (_who, need) =>
            need.capability === capability
              ? { allowed: true, sudo: false, mfaMethods: [], grantedBy: [] }
              : { allowed: false, why: 'another capability' },
        },
      });
      const write = async (name: string) =>
        (await ask('POST', `/v1/sys/sync/destinations/x/${name}`, { headers: reader }, parts)).status;
      expect(await write(granted)).not.toBe(403);
      expect(await write(refused)).toBe(403);
    },
  );

  test('the capability of a listing is checked on the path with its slash', async () => {
    const gatekeeper = fakeGatekeeper();
    await ask('LIST', '/v1/secret/open', { headers: reader }, sampleParts({ gatekeeper }));
    const listing = { capability: 'list', path: 'secret/open/', sudo: false, wrapSeconds: undefined };
    expect(gatekeeper.needs).toMatchObject([listing]);
  });

  test('a handler can check permission on another path', async () => {
    expect((await ask('GET', '/v1/sys/allowed/secret/open/x', { headers: reader })).status).toBe(200);
    expect((await ask('GET', '/v1/sys/allowed/secret/closed', { headers: reader })).status).toBe(403);
  });

  test('a request that takes too long gets 503, and its handler is notified', async () => {
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
      mounts: {
        resolve: () => Promise.reject(new Error('the store is out of reach')),
        askStore: async () => {},
        state: () => undefined,
      },
      gatekeeper: {
        authenticate: () => Promise.reject(new Error('out of reach')),
        authorise: () => Promise.reject(new Error('out of reach')),
        reaches: () => Promise.reject(new Error('out of reach')),
        mayEnter: () => Promise.reject(new Error('out of reach')),
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

  test('a malformed request is still refused as malformed', async () => {
    expect((await ask('POST', '/v1/secret/a', { payload: '{' }, sealed('sealed'))).status).toBe(400);
  });

  test('once unsealed, an operation that works in any state needs its token again', async () => {
    expect((await ask('PUT', '/v1/sys/seal', { headers: {} })).status).toBe(403);
  });

  test('an unavailable store is 503', async () => {
    const mounts = {
      resolve: () => Promise.reject(new AppError('unavailable', 'the database does not answer')),
      askStore: async () => {},
      state: () => undefined,
    };
    expect(await ask('GET', '/v1/secret/a', {}, sampleParts({ mounts }))).toMatchObject({
      status: 503,
      body: '{"errors":["the database does not answer"]}',
    });
  });
});
