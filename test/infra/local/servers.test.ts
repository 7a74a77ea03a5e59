import { Redis } from 'ioredis';
import pg from 'pg';
import { expect, test } from 'vitest';
import { emptyDatabase, testRedis } from '../../support/services.ts';

test('the embedded PostgreSQL answers as a server of version 15 or later', async () => {
  const client = new pg.Client({ connectionString: await emptyDatabase() });
  await client.connect();
  const { rows } = await client.query<{ v: number }>("select current_setting('server_version_num')::int as v");
  await client.end();
  expect(rows[0]?.v).toBeGreaterThanOrEqual(150_000);
});

test('the private Redis never evicts', async () => {
  const client = new Redis(testRedis().url);
  const policy = await client.config('GET', 'maxmemory-policy');
  client.disconnect();
  expect(policy).toEqual(['maxmemory-policy', 'noeviction']);
});
