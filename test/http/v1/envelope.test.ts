import { describe, expect, test } from 'vitest';
import { ask } from '../ask.ts';

describe('the envelope', () => {
  test('its members are in the order of the API family', async () => {
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

  test('flat replies are also at the top level', async () => {
    const { json } = await ask('GET', '/v1/sys/flat');
    expect(json()).toMatchObject({ keys: ['a'], data: { keys: ['a'] } });
  });

  test('a login returns the auth object in its order', async () => {
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
  ])('%s %s without content is answered with %i', async (method, url, status, body) => {
    expect(await ask(method, url)).toMatchObject({ status, body });
  });

  test('a listing without keys but with other data is 200', async () => {
    expect((await ask('LIST', '/v1/sys/summary')).status).toBe(200);
  });

  test('a write with only a warning is 200 with the warning', async () => {
    const { status, json } = await ask('POST', '/v1/sys/warned');
    expect(status).toBe(200);
    expect(json()).toMatchObject({ data: null, warnings: ['look out'] });
  });

  test('a handler may reply with another status and a complete envelope', async () => {
    const { status, json } = await ask('GET', '/v1/versioned/deleted');
    expect(status).toBe(404);
    expect(json().data).toEqual({ data: null, metadata: {} });
  });
});
