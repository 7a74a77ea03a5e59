import pg from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { openStage } from '#infra/demo/stage.ts';
import { emptyDatabase, ending, testRedis } from '../../support/services.ts';

afterEach(() => vi.unstubAllEnvs());

test('the demo says first where its data is, and does not touch a database or Redis from the environment', async () => {
  const url = await emptyDatabase();
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
  expect(lines[0]).toMatch(/keeps its data in .* does not use DATABASE_URL and REDIS_URL/);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("select count(*)::int as tables from pg_tables where schemaname = 'public'");
  await client.end();
  expect(rows).toEqual([{ tables: 0 }]);
});
