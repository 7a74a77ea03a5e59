import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '#store/open.ts';
import { storeOptions } from '../../store/stores.ts';
import { testDatabase, testRedis } from '../../support/services.ts';
import { whatIsKnown } from './known.ts';

const { url: redisUrl, prefix } = testRedis();
const redis = new Redis(redisUrl);
let databaseUrl = '';
beforeAll(async () => {
  databaseUrl = await testDatabase();
  await (await openStore(storeOptions(databaseUrl))).close();
});
afterAll(() => redis.disconnect());

test('shows the switches, the gates and the jobs', async () => {
  const now = Date.now();
  await redis.hset(`${prefix}:gate:7`, { f: 5, c: now + 3_600_000, p: 'probe' });
  await redis.zadd(`${prefix}:passes:7`, now + 60_000, 'probe');
  await redis.hset(`${prefix}:pending`, { 11: '4' });
  await redis.zadd(`${prefix}:sync-cloud-a-sm:delayed`, (now + 3_600_000) * 0x1000, 'job');
  const text = (await whatIsKnown({ databaseUrl, redisUrl, prefix })).join('\n');
  expect(text).toMatch(/^configuration .*"disabled":false/);
  expect(text).toMatch(/pending: 1 \[\["11","4"\]\]/);
  expect(text).toMatch(/gate .*:gate:7: f 5, c 3\d{3}\.\d s, p probe; passes until: \d+\.\d s/);
  expect(text).toMatch(/cloud-a-sm: 0 waiting, 0 active .*, 1 delayed until 3\d{3}\.\d s/);
});

test('names the server that is away', async () => {
  const away = { databaseUrl: 'postgres://unknown@127.0.0.1:1/x', redisUrl: 'redis://127.0.0.1:1' };
  const lines = await whatIsKnown(away);
  expect(lines).toEqual([
    expect.stringContaining('PostgreSQL does not answer'),
    expect.stringContaining('Redis does not answer'),
  ]);
});
