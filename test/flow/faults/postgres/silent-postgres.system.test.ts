import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '#test/support/flow/open-service.ts';
import { patience } from '#test/support/measures/patience.ts';
import { openSilenceableLine } from '#test/support/servers/silenceable-line.ts';
import { testDatabase } from '#test/support/services.ts';
import { workspaceGround } from '#test/workspaces/support/ground.ts';

const url = new URL(await testDatabase());
const line = await openSilenceableLine(Number(url.port));
url.port = String(line.port);

/** The request limit is the shortest: statements may take an hour, and waiting for a connection much longer. */
const ground = workspaceGround({
  DATABASE_URL: url.href,
  KEYFERRY_REQUEST_MS_MAX: '4000',
  KEYFERRY_DATABASE_STATEMENT_MS_MAX: '3600000',
  KEYFERRY_DATABASE_CONNECT_MS_MAX: '30000',
});
const { service } = ground;
afterAll(() => line.close());

interface Request {
  readonly what: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const ask = async ({ method = 'GET', path, headers = {}, body }: Request) => {
  const answer = await fetch(`${service.address}${path}`, {
    method,
    headers,
    signal: AbortSignal.timeout(patience.conditionMs),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() };
};

let token: { readonly 'x-service-token': string };
let bearer: { readonly authorization: string; readonly 'content-type': string };
beforeAll(async () => {
  token = { 'x-service-token': service.rootToken };
  const { id } = await ground.organization();
  const { token: text } = await ground.user(id);
  bearer = { authorization: `Bearer ${text}`, 'content-type': 'application/vnd.api+json' };
  await service.secret({ v: 'first' }, 'known');
  expect((await service.ask('POST', 'sys/auth/people', { type: 'userpass' })).status).toBe(204);
  expect((await service.ask('POST', 'auth/people/users/anna', { password: 'marker-password' })).status).toBe(204);
});

const late = (): readonly Request[] => [
  { what: 'read', path: '/v1/secret/data/known', headers: token },
  { what: 'write', method: 'POST', path: '/v1/secret/data/known', headers: token, body: { data: { v: 'lost' } } },
  { what: 'list', path: '/v1/secret/metadata?list=true', headers: token },
  { what: 'login', method: 'POST', path: '/v1/auth/people/login/anna', body: { password: 'marker-password' } },
  { what: 'read from a page', path: '/v1/secret/data/known', headers: { ...token, origin: 'https://example.com' } },
  { what: 'unknown token', path: '/v1/secret/data/known', headers: { 'x-service-token': 'hvs.unknown' } },
  { what: 'workspaces: read', path: '/api/v2/account/details', headers: bearer },
  {
    what: 'workspaces: write',
    method: 'POST',
    path: '/api/v2/organizations',
    headers: bearer,
    body: { data: { type: 'organizations', attributes: { name: 'lost', email: 'anna@example.com' } } },
  },
];

test('while PostgreSQL does not answer, each request ends at its limit and probes end earlier; then everything recovers', async () => {
  const cut = line.silence();
  const answers = await Promise.all(late().map(async (request) => ({ what: request.what, ...(await ask(request)) })));
  for (const { what, status, retryAfter, text } of answers) {
    expect({ what, status, retryAfter }).toEqual({ what, status: 503, retryAfter: '1' });
    expect(text, what).toContain('the request took too long');
  }

  // These answers do not come from the request limit, as their texts show.
  const health = await ask({ what: 'health', path: '/v1/sys/health' });
  expect(health.status).toBe(503);
  expect(health.text).toContain('the database is not available');
  const sealStatus = await ask({ what: 'seal status', path: '/v1/sys/seal-status' });
  expect(sealStatus.status).toBe(200);
  expect(sealStatus.text).toContain('"sealed":false');
  const unknown = await ask({ what: 'unknown path', path: '/v1/nothing/here' });
  expect([403, 503]).toContain(unknown.status);
  const metrics = await ask({ what: 'metrics', path: '/v1/sys/metrics?format=prometheus', headers: token });
  expect([200, 503]).toContain(metrics.status);

  // Connections that have long been silent are closed with the statements that wait on them, before their own limits.
  await cut;
  line.speak();
  const read = { what: 'read', path: '/v1/secret/data/known', headers: token };
  await eventually(async () => (await ask(read)).status === 200);
  expect((await ask({ what: 'health', path: '/v1/sys/health' })).status).toBe(200);
  expect((await ask({ what: 'workspaces', path: '/api/v2/account/details', headers: bearer })).status).toBe(200);
});
