import { describe, expect, test } from 'vitest';
import { badRequest, type Word } from '#core/errors.ts';
import { ask, root } from '../ask.ts';
import { mount, mountTable, sampleParts, sampleServer } from '../sample.ts';

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

  test('a namespace is the first part of the path, and is returned under the same header name', async () => {
    const parts = sampleParts();
    const server = sampleServer(parts);
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
  ])('%s with %s returns type %s', async (url, header, type) => {
    expect((await ask('GET', url, { headers: { [header]: 'root' } })).json().data.type).toBe(type);
  });

  const alias = { 'x-vault-token': 'root' };

  test.each([
    ['/v1/sys/sync/destinations/aws-sm/d', root, 'aws-sm'],
    ['/v1/sys/sync/destinations/cloud-a-sm/d', alias, 'aws-sm'],
    ['/v1/sys/sync/destinations/cloud-a-sm/d', root, 'cloud-a-sm'],
    ['/v1/sys/sync/destinations/aws-sm/cloud-a-sm', alias, 'aws-sm'],
  ])('the help of %s with %j is that of %s', async (url, headers, type) => {
    const { help, openapi } = (await ask('GET', `${url}?help=1`, { headers })).json();
    const path = `sys/sync/destinations/${type}/${url.split('/').at(-1)}`;
    expect(help).toMatch(new RegExp(`^# ${path}\n`));
    expect(openapi.info.description).toBe(`Paths are relative to /v1/${path}`);
  });

  test.each([
    ['/v1/sys/sync/destinations/cloud-a-sm/d', root, 'Service is sealed'],
    ['/v1/sys/sync/destinations/cloud-a-sm/d', alias, 'Vault is sealed'],
    ['/v1/sys/sync/destinations/aws-sm?list=true', root, 'Vault is sealed'],
    ['/v1/sys/sync/destinations/aws%2Dsm/d', root, 'Vault is sealed'],
  ])('the error of %s with %j is: %s', async (url, headers, text) => {
    const parts = sampleParts({ state: () => 'sealed' });
    expect((await ask('GET', url, { headers }, parts)).json()).toEqual({ errors: [text] });
  });

  test.each([
    [root, 'cloud-a-sm/cloud-a-sm is INTERNAL_ERROR, not "cloud-a-sm"'],
    [alias, 'aws-sm/cloud-a-sm is INTERNAL_VAULT_ERROR, not "cloud-a-sm"'],
  ])("an error with %j names what is ours in these words, and what is the caller's as it is", async (headers, text) => {
    const say = (word: Word) => `${word('cloud-a-sm')}/cloud-a-sm is ${word('INTERNAL_ERROR')}, not "cloud-a-sm"`;
    const mounts = { resolve: () => Promise.reject(badRequest(say)), askStore: async () => {}, state: () => undefined };
    expect((await ask('GET', '/v1/secret/x', { headers }, sampleParts({ mounts }))).json()).toEqual({ errors: [text] });
  });

  test('a mount that is named like a type keeps its name', async () => {
    const mounts = mountTable([mount('aws-sm/', 'kv', { version: '1' })]);
    const { json } = await ask('GET', '/v1/aws-sm/x', {}, sampleParts({ mounts }));
    expect(json()).toEqual({ errors: [] });
  });

  test('an operation that needs no token still gets the caller', async () => {
    expect((await ask('GET', '/v1/sys/open', { headers: {} })).json().data.caller).toBeNull();
    expect(
      (await ask('GET', '/v1/sys/open', { headers: { 'x-service-token': 'nobody' } })).json().data.caller,
    ).toBeNull();
    expect((await ask('GET', '/v1/sys/open')).json().data.caller).toBe('root');
  });
});
