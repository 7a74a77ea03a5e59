import { describe, expect, test } from 'vitest';
import { ask, reader, root } from '../ask.ts';

describe('help', () => {
  test('it has no envelope, and its document is relative to the path', async () => {
    const { status, json } = await ask('GET', '/v1/sys/sync/destinations?help=1', { headers: reader });
    expect(status).toBe(200);
    expect(Object.keys(json())).toEqual(['help', 'see_also', 'openapi']);
    expect(Object.keys(json().openapi.paths)).toEqual(['/{type}/{name}']);
  });

  test('the verb HELP gives the same', async () => {
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
  ])('%s is answered like any path', async (url, headers, status) => {
    expect((await ask('GET', url, { headers })).status).toBe(status);
  });
});
