import pg from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { openStage } from '../../../infra/demo/stage.ts';
import { ending, testDatabase, testRedis } from '../../support/services.ts';

afterEach(() => vi.unstubAllEnvs());

test('the demo is private and says so first: a database and a Redis that the environment names stay as they are', async () => {
  const url = await testDatabase();
  vi.stubEnv('DATABASE_URL', url);
  vi.stubEnv('REDIS_URL', testRedis().url);
  const lines: string[] = [];
  const terminal = {
    interactive: false,
    line: (text = '') => lines.push(text),
    styled: (_style: unknown, text: string) => text,
  };
  const stage = ending(await openStage(terminal));
  await stage.api.write('secret/data/shown', { data: { v: '1' } });
  expect(lines[0]).toMatch(/private.*DATABASE_URL and REDIS_URL are not used/);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("select count(*)::int as tables from pg_tables where schemaname = 'public'");
  await client.end();
  expect(rows).toEqual([{ tables: 0 }]);
});
