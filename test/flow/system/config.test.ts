import { describe, expect, test } from 'vitest';
import { serviceOf } from '../../support/flow/open-service.ts';

const service = serviceOf([], { KEYFERRY_LOG_LEVEL: 'warn' });

/** Sends a request like a browser for a page of this origin. */
const fromPage = (origin: string, method = 'GET', headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${service.address}/v1/sys/health`, { method, headers: { origin, ...headers } });
const preflight = (origin: string, method: string) =>
  fromPage(origin, 'OPTIONS', { 'access-control-request-method': method });
const page = 'https://ui.example.com';
const configure = (body: object) => service.ask('POST', 'sys/config/cors', body);

describe('pages of other origins', () => {
  test('get no CORS headers while no origin is allowed', async () => {
    await service.ask('DELETE', 'sys/config/cors');
    expect(await service.ask('GET', 'sys/config/cors')).toMatchObject({
      data: { enabled: false },
      body: { enabled: false },
    });
    const answer = await fromPage(page);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, null]);
  });

  test('get CORS headers when their origin is allowed, and are refused otherwise', async () => {
    expect((await configure({ allowed_origins: page, allowed_headers: ['X-Own'] })).status).toBe(204);
    const answer = await fromPage(page);
    expect([answer.status, answer.headers.get('access-control-allow-origin'), answer.headers.get('vary')]).toEqual([
      200,
      page,
      'Origin',
    ]);
    const refused = await fromPage('https://other.example.com');
    expect([refused.status, await refused.json()]).toEqual([403, { errors: ['origin not allowed'] }]);
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    expect((await fromPage(`${page}.evil.example`)).status).toBe(403);
    const shown = await service.ask('GET', 'sys/config/cors');
    expect(shown.data).toMatchObject({ enabled: true, allowed_origins: [page] });
    expect(shown.data['allowed_headers']).toEqual(
      expect.arrayContaining(['X-Vault-Token', 'X-Service-Token', 'X-Own']),
    );
  });

  test('get an answer to preflight requests', async () => {
    await configure({ allowed_origins: [page], allowed_headers: ['X-Own'] });
    const answer = await preflight(page, 'LIST');
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(answer.headers.get('access-control-allow-methods')).toContain('LIST');
    expect(answer.headers.get('access-control-allow-headers')).toMatch(/X-Vault-Token.*X-Own/);
    expect((await preflight(page, 'BREW')).status).toBe(405);
    expect((await preflight('https://other.example.com', 'GET')).status).toBe(403);
  });

  test('can read errors too, and the wildcard allows every origin', async () => {
    await configure({ allowed_origins: '*' });
    const answer = await fetch(`${service.address}/v1/secret/x`, { headers: { origin: 'http://any:8080' } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, 'http://any:8080']);
    expect((await configure({ enable: false })).status).toBe(204);
    expect((await service.ask('GET', 'sys/config/cors')).data).toEqual({ enabled: false });
  });

  test.each([
    [{}, 'at least one origin or the wildcard must be provided'],
    [{ allowed_origins: ['*', page] }, "the '*' must be the only value"],
    [{ allowed_origins: ['example.com'] }, 'is not an origin'],
    [{ allowed_origins: ['https://example.com/path'] }, 'is not an origin'],
    [{ allowed_origins: { a: 1 } }, 'allowed_origins'],
    [{ allowed_origins: page, allowed_headers: ['a\r\nb'] }, 'is not a header name'],
    [{ enable: 'perhaps' }, 'enable'],
  ])('%j is a bad request', async (body, text) => {
    const answer = await configure(body);
    expect(answer.status).toBe(400);
    expect(answer.errors.join()).toContain(text);
  });
});

test('headers for the user interface are stored, read, listed and deleted', async () => {
  const at = 'sys/config/ui/headers';
  expect((await service.ask('LIST', at)).status).toBe(404);
  await Promise.all(['X-One', 'X-Two'].map((name) => service.ask('POST', `${at}/${name}`, { values: ['a', 'b'] })));
  expect((await service.ask('LIST', at)).data).toEqual({ keys: ['x-one', 'x-two'] });
  expect((await service.ask('GET', `${at}/X-One`)).data).toEqual({ value: 'a' });
  expect((await service.ask('GET', `${at}/X-One?multivalue=true`)).data).toEqual({ values: ['a', 'b'] });
  expect((await service.ask('DELETE', `${at}/X-One`)).status).toBe(204);
  expect((await service.ask('GET', `${at}/X-One`)).status).toBe(404);
  expect((await service.ask('POST', `${at}/X-One`, { values: ['a\nb'] })).status).toBe(400);
  expect((await service.ask('POST', `${at}/X-One`, {})).status).toBe(400);
});

test('the sanitized configuration has nothing that gives access', async () => {
  const answer = await service.ask('GET', 'sys/config/state/sanitized');
  expect(answer.data).toMatchObject({ log_level: 'warn', max_lease_ttl: 2_764_800, listeners: [{ type: 'tcp' }] });
  for (const secret of [service.config.DATABASE_URL, service.config.REDIS_URL, service.config.KEYFERRY_SEAL_KEY])
    expect(answer.text).not.toContain(secret);
});
