import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openBoardAccess } from '#app/board/access.ts';
import { openApi, openBoard } from '#app.ts';
import type { Gatekeeper } from '#auth/contract.ts';
import { readConfig } from '#core/config.ts';
import { silentLog } from '#core/log/log.ts';
import { rootNamespace } from '#core/namespace.ts';
import { Secret } from '#core/secret.ts';
import { loadFake } from '#destinations/load.ts';
import { ending, testDatabase, testRedis } from '../support/services.ts';

const type = 'cloud-a-sm';
const marker = `marker-${randomBytes(8).toString('hex')}`;

/** A service with one pending operation, because the sync is disabled, and its board. */
async function stand() {
  const { url, prefix } = testRedis();
  const config = readConfig({
    DATABASE_URL: await testDatabase(),
    REDIS_URL: url,
    KEYFERRY_REDIS_PREFIX: prefix,
    KEYFERRY_SEAL_KEY: randomBytes(32).toString('hex'),
    KEYFERRY_SYNC_WAIT_MS: '0',
    KEYFERRY_NETWORK_ALLOWED: 'all',
  });
  const api = ending(await openApi({ config, log: silentLog }));
  const token = (await api.prepareForDevelopment(undefined)) ?? '';
  const write = async (path: string, body: object, method = 'POST') => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { 'x-service-token': token, 'content-type': type };
    const answer = await api.inject({ method, url: `/v1/${path}`, headers, payload: JSON.stringify(body) });
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    return answer.json();
  };
  const fake = ending(await (await loadFake(type))());
  await write('sys/sync/config', { disabled: true }, 'PATCH');
  await write(`sys/sync/destinations/${type}/place`, fake.destination);
  await write('secret/data/shown', { data: { password: marker } });
  await write(`sys/sync/destinations/${type}/place/associations/set`, { mount: 'secret', secret_name: 'shown' });
  const board = ending(await openBoard({ config, log: silentLog }));
  const limited = await write('auth/token/create', { policies: ['default'] });
  return { api, board, token, write, limited: String(limited.auth.client_token) };
}

const html = { accept: 'text/html' };
const as = (token: string) => ({ 'x-service-token': token });
const queue = `sync-${type}`;

test('the board requires a root token: 401 without a token, 403 with another one, 200 with a root token, on every path', async () => {
  const { board, token, limited } = await stand();
  for (const url of [
    '/',
    '/api/queues',
    `/api/queues/${queue}/1`,
    `/queue/${queue}`,
    '/static/js/none.js',
    '/nowhere',
  ]) {
    expect((await board.inject({ url })).statusCode, url).toBe(401);
    expect((await board.inject({ url, headers: as('none') })).statusCode, url).toBe(401);
    expect((await board.inject({ url, headers: as(limited) })).statusCode, url).toBe(403);
  }
  for (const url of ['/', '/api/queues', `/queue/${queue}`])
    expect((await board.inject({ url, headers: as(token) })).statusCode, url).toBe(200);
  expect((await board.inject({ url: '/', headers: { authorization: `Bearer ${token}` } })).statusCode).toBe(200);
});

test('pages and answers of the board contain only ids and no values', async () => {
  const { board, token } = await stand();
  const read = async (url: string) => (await board.inject({ url, headers: as(token) })).body;
  const list = await read(`/api/queues?activeQueue=${queue}&status=waiting&page=1&jobsPerPage=10`);
  const shown = JSON.parse(list).queues.find(({ name }: { name: string }) => name === queue);
  expect(shown.readOnlyMode).toBe(true);
  expect(shown.jobs).toHaveLength(1);
  const [job] = shown.jobs;
  expect(job.data).toEqual({
    association: expect.stringMatching(/^\d+$/),
    destination: expect.stringMatching(/^\d+$/),
  });
  const others = [
    '/',
    `/queue/${queue}`,
    `/queue/${queue}/${job.id}`,
    `/api/queues/${queue}/${job.id}`,
    `/api/queues/${queue}/${job.id}/logs`,
  ];
  const texts = [list, ...(await Promise.all(others.map(read)))];
  expect(texts.join()).toContain(`operation ${job.id}`);
  for (const secret of [marker, token, 'shown']) expect(texts.join()).not.toContain(secret);
});

test('nothing can be changed on the board', async () => {
  const { board, token } = await stand();
  const calls = [
    ['PUT', `/api/queues/${queue}/pause`],
    ['PUT', `/api/queues/${queue}/empty`],
    ['PUT', `/api/queues/${queue}/1/clean`],
    ['PUT', '/api/queues/pause'],
    ['POST', `/api/queues/${queue}/add`],
    ['DELETE', `/api/queues/${queue}/1`],
  ] as const;
  for (const [method, url] of calls) {
    const headers = { ...as(token), 'content-type': 'application/json' };
    expect((await board.inject({ method, url, headers, payload: '{}' })).statusCode, url).toBe(405);
  }
  const { queues } = (await board.inject({ url: '/api/queues', headers: as(token) })).json();
  expect(queues.find(({ name }: { name: string }) => name === queue).counts.waiting).toBe(1);
});

test('a browser gets a login form, and a cookie that scripts cannot read, which is valid until the token is revoked', async () => {
  const { board, api, token, write } = await stand();
  const asked = await board.inject({ url: '/', headers: html });
  expect([asked.statusCode, asked.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
  expect(asked.body).toContain('type="password"');
  const enter = (typed: string) =>
    board.inject({
      method: 'POST',
      url: '/login',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ token: typed }).toString(),
    });
  const refused = await enter('wrong-token');
  expect(refused.statusCode).toBe(403);
  expect(refused.body).not.toContain('wrong-token');
  const second = String((await write('auth/token/create', { policies: ['root'] })).auth.client_token);
  const entered = await enter(second);
  const cookie = String(entered.headers['set-cookie']);
  expect(entered.statusCode).toBe(303);
  expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\//);
  expect(cookie).not.toContain(second);
  const headers = { cookie: cookie.split(';')[0] ?? '' };
  expect((await board.inject({ url: '/api/queues', headers })).statusCode).toBe(200);
  const revoke = { method: 'POST', url: '/v1/auth/token/revoke-self', headers: as(second) };
  expect((await api.inject(revoke)).statusCode).toBeLessThan(300);
  expect((await board.inject({ url: '/api/queues', headers })).statusCode).toBe(401);
  expect((await board.inject({ url: '/api/queues', headers: as(token) })).statusCode).toBe(200);
});

test('sessions expire, and the oldest is evicted', async () => {
  let now = 0;
  const caller = {
    token: new Secret(''),
    namespace: rootNamespace,
    accessor: '',
    policies: ['root'],
    displayName: '',
    entityId: '',
    root: true,
    tokenType: 'service' as const,
  };
  const gatekeeper: Gatekeeper = {
    authenticate: async () => caller,
    authorise: async () => ({ allowed: true, sudo: true, mfaMethods: [], grantedBy: [] }),
    reaches: async () => true,
    mayEnter: async () => true,
  };
  const access = openBoardAccess({ gatekeeper, now: () => now });
  const cookie = (await access.login('t'))?.split(';')[0];
  expect(await access.check({ cookie })).toBe('root');
  for (let count = 0; count < 100; count += 1) await access.login('t');
  expect(await access.check({ cookie })).toBe('unauthenticated');
  const last = (await access.login('t'))?.split(';')[0];
  now += 8 * 3_600_000;
  expect(await access.check({ cookie: last })).toBe('unauthenticated');
});
