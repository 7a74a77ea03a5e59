import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { kv } from './setup.ts';

test('measure', async () => {
  const it = await kv(10);
  await sql`insert into kv_secrets (mount_id, path, current_version, oldest_version, created_time, updated_time, max_versions, cas_required, delete_version_after)
    select ${it.mount.id}::uuid, 'big/' || lpad(n::text, 6, '0'), 1, 0, now(), now(), 0, false, 0 from generate_series(1, 100000) n`.execute(
    it.store.db,
  );
  await sql`insert into kv_secrets (mount_id, path, current_version, oldest_version, created_time, updated_time, max_versions, cas_required, delete_version_after)
    select ${it.mount.id}::uuid, 'fold/' || (n % 100) || '/' || n, 1, 0, now(), now(), 0, false, 0 from generate_series(1, 200000) n`.execute(
    it.store.db,
  );
  await sql`insert into kv_versions select mount_id, path, 1, gen_random_uuid(), '\\x00'::bytea, now(), null, false, false from kv_secrets where path like 'big/0%' limit 50000`.execute(
    it.store.db,
  );
  await sql`analyze`.execute(it.store.db);
  const time = async (name: string, work: () => Promise<unknown>) => {
    const t = performance.now();
    await work();
    console.log(name, Math.round(performance.now() - t), 'ms');
  };
  await it.call('write', 'data/one', { data: { a: 1 } });
  await time('select 1 x 2000', async () => {
    for (let i = 0; i < 2000; i++) await sql`select 1 as a, ${i}::int`.execute(it.store.db);
  });
  await time('2000 reads one at a time', async () => {
    for (let i = 0; i < 2000; i++) await it.call('read', 'data/one');
  });
  await time('20000 reads, 64 at a time', async () => {
    await Promise.all(
      Array.from({ length: 64 }, async () => {
        for (let i = 0; i < 312; i++) await it.call('read', 'data/one');
      }),
    );
  });
  await time('1000 writes one at a time same', async () => {
    for (let i = 0; i < 1000; i++) await it.call('write', `data/same`, { data: { a: 1 } });
  });
  await time('list 100000', () => it.call('list', 'metadata/big/'));
  await time('list 100000', () => it.call('list', 'metadata/big/'));
  await time('list 100 folders of 2000', () => it.call('list', 'metadata/fold/'));
  await time('list root', () => it.call('list', 'metadata/'));
  for (const text of [
    `select asked.n, v.version, v.data  from (
        select w.n::int as n, s.mount_id, s.path, s.oldest_version, s.custom_metadata,
               case when w.version > 0 then w.version else s.current_version end as version
          from unnest((select $1::uuid[]),(select $2::text[]),(select $3::int[])) with ordinality as w (mount_id, path, version, n)
          join kv_secrets s on s.mount_id = w.mount_id and s.path = w.path
        offset 0) as asked
      join kv_versions v on v.mount_id = asked.mount_id and v.path = asked.path and v.version = asked.version
     where asked.version >= asked.oldest_version`,
  ]) {
    await it.store.db.connection().execute(async (db) => {
      await sql.raw('set plan_cache_mode = force_generic_plan').execute(db);
      await sql.raw(`prepare q (uuid[], text[], int[]) as ${text}`).execute(db);
      const plan = await sql
        .raw<Record<string, string>>(`explain execute q(array['${it.mount.id}'::uuid], array['a'], array[0])`)
        .execute(db);
      console.log(plan.rows.map((r) => Object.values(r)[0]).join('\n'));
    });
  }
  const held = await it.store.db.connection().execute(async (db) => {
    const plan = await sql.raw<Record<string, string>>('show plan_cache_mode').execute(db);
    return plan.rows;
  });
  console.log(held);
  await it.store.close();
  expect(1).toBe(1);
}, 120_000);
