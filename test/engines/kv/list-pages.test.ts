import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kvV1 } from '#engines/kv/v1/index.ts';
import { kvV2 } from '#engines/kv/v2/index.ts';
import type { Mount } from '#path/contract/mount.ts';
import { type Call, calling, engineParts, mounted } from '../setup.ts';

const secrets = 20_000;
const inFolder = 5_000;

let it: Awaited<ReturnType<typeof engineParts>>;
beforeAll(async () => {
  it = await engineParts();
});
afterAll(() => it.store.close());

/** 20,000 secrets in a folder, and beside them a folder with 5,000. */
const filled = (mount: Mount) =>
  sql`insert into kv_secrets (mount_id, path, current_version, oldest_version, created_time, updated_time, max_versions,
                              cas_required, delete_version_after)
      select ${mount.id}::uuid, path, 1, 1, now(), now(), 0, false, 0
        from (select 'many/' || lpad(n::text, 6, '0') as path from generate_series(1, ${secrets}::int) n
              union all select 'many/010000-folder/' || n from generate_series(1, ${inFolder}::int) n) as paths`.execute(
    it.store.db,
  );

test.each([
  { version: '1', open: kvV1, list: 'many/', path: 'many/', data: { a: '1' } },
  {
    version: '2',
    open: kvV2,
    list: 'metadata/many/',
    path: 'data/many/',
    data: { data: {} },
  },
])(
  '20,000 secrets of version $version are listed in pages while others are written',
  async ({ version, open, list, path, data }) => {
    const mount = await mounted(it.mounts, `pages${version}/`, { version });
    const call: Call = calling(open.open(it.parts), mount);
    const keysOf = async (page: object): Promise<readonly string[]> =>
      Object((await call('list', list, { ...page }))?.data).keys;
    await filled(mount);
    await sql`vacuum analyze kv_secrets`.execute(it.store.db);
    const seen: string[] = [];
    for (let after = ''; ; after = seen.at(-1) ?? '') {
      const keys = await keysOf({ limit: 1_000, after });
      seen.push(...keys);
      if (keys.length < 1_000) break;
      if (after === '') {
        await call('write', `${path}000000-before`, data);
        await call('write', `${path}999999-after`, data);
      }
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((name) => name.endsWith('/'))).toEqual(['010000-folder/']);
    expect(seen).not.toContain('000000-before');
    expect(seen.at(-1)).toBe('999999-after');
    expect(seen).toHaveLength(secrets + 2);
    expect(seen).toEqual(seen.toSorted());
    expect(await keysOf({})).toHaveLength(secrets + 3);
  },
);

test('a page in the middle reads little more than its own entries', async () => {
  const mount = await mounted(it.mounts, 'blocks/', { version: '2' });
  await filled(mount);
  await sql`vacuum analyze kv_secrets`.execute(it.store.db);
  const read = await it.store.db.transaction().execute(async (tx) => {
    const store = { ...it.store, db: tx } as typeof it.store;
    const call = calling(kvV2.open({ ...it.parts, store }), mount);
    const before = await tuplesRead(tx);
    await call('list', 'metadata/many/', { limit: 100, after: '015000' });
    return (await tuplesRead(tx)) - before;
  });
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(400);
});

async function tuplesRead(db: Parameters<ReturnType<typeof sql>['execute']>[0]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (sum(pg_stat_get_xact_tuples_returned(indexrelid)) + pg_stat_get_xact_tuples_returned('kv_secrets'::regclass))::int as count
      from pg_index where indrelid = 'kv_secrets'::regclass`.execute(db);
  return rows[0]?.count ?? 0;
}
