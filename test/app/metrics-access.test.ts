import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openApi } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { silentLog } from '#core/log/log.ts';
import { ending, testDatabase, testRedis } from '../support/services.ts';

const path = '/v1/sys/metrics?format=prometheus';

async function api(changes: Readonly<Record<string, string>> = {}) {
  const { url, prefix } = testRedis();
  const config = readConfig({
    DATABASE_URL: await testDatabase(),
    REDIS_URL: url,
    KEYFERRY_REDIS_PREFIX: prefix,
    KEYFERRY_SEAL_KEY: randomBytes(32).toString('hex'),
    ...changes,
  });
  return ending(await openApi({ config, log: silentLog }));
}

test('while the store is not initialised or sealed, metrics answer 503 like every other path', async () => {
  const opened = await api();
  expect((await opened.inject({ url: path })).statusCode).toBe(503);
  const token = await opened.prepareForDevelopment(undefined);
  const headers = { 'x-service-token': token ?? '' };
  expect((await opened.inject({ url: path, headers })).statusCode).toBe(200);
  opened.store.seal.sealNow();
  expect((await opened.inject({ url: path, headers })).statusCode).toBe(503);
});

test('public metrics are served without a token and while sealed, and report the seal', async () => {
  const opened = await api({ KEYFERRY_METRICS_UNAUTHENTICATED: 'true' });
  const sealed = await opened.inject({ url: path });
  expect(sealed.statusCode).toBe(200);
  expect(sealed.body).toContain('keyferry_sealed 1\n');
  await opened.prepareForDevelopment(undefined);
  const open = await opened.inject({ url: path });
  expect(open.body).toContain('keyferry_sealed 0\n');
  // An invalid token is not refused either.
  expect((await opened.inject({ url: path, headers: { 'x-service-token': 'none' } })).statusCode).toBe(200);
});

test('while Redis is unavailable metrics are served, report it, and omit the queue', async () => {
  const opened = await api({ REDIS_URL: 'redis://127.0.0.1:1', KEYFERRY_METRICS_UNAUTHENTICATED: 'true' });
  await opened.prepareForDevelopment(undefined);
  const { statusCode, body } = await opened.inject({ url: path });
  expect(statusCode).toBe(200);
  expect(body).toContain('keyferry_redis_up 0\n');
  expect(body).not.toMatch(/^keyferry_sync_(pending_operations|jobs)[ {]/m);
  expect(body).toMatch(/^keyferry_tokens 1$/m);
});
