import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { rootNamespace } from '#core/namespace.ts';
import type { OpenStore } from '#store/open.ts';
import { listSecrets } from '#sync/rows/associations/listed-secrets.ts';
import { associationRowsRead } from '#test/support/measures/rows-read.ts';
import { testStore } from '../../store/stores.ts';

let store: OpenStore;
const ofRoot = 10_000;
const ofSmall = 5;

beforeAll(async () => {
  store = await testStore();
  await sql`insert into namespaces (id, uuid, path, custom_metadata) values ('small', gen_random_uuid(), 'small/', '{}')`.execute(
    store.db,
  );
  await sql`
    insert into destinations (type, name, connection, granularity, custom_tags, network, adopt, updated_at, namespace_id)
    values ('cloud-a-sm', 'd', 'x', 'secret-path', '{}', '{}', false, now(), ${rootNamespace.id}),
           ('cloud-a-sm', 'd', 'x', 'secret-path', '{}', '{}', false, now(), 'small')`.execute(store.db);
  await sql`
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template, adopt,
                              desired, status, records, updated_at)
    select d.id, 'cloud-a-sm', gen_random_uuid(), 'kv/', 'kv_1', 'secret-' || n, 'secret-path', 't', false, 'present', 'SYNCED',
           '[]', now()
      from destinations d
      cross join lateral generate_series(1, case when d.namespace_id = 'small' then ${ofSmall}::int else ${ofRoot}::int end) n`.execute(
    store.db,
  );
  await sql`analyze associations, destinations`.execute(store.db);
});
afterAll(() => store.close());

test('a namespace lists its secrets without reading those of others, even with a generic plan', async () => {
  await store.db.transaction().execute(async (tx) => {
    // PostgreSQL may choose a generic plan once a statement has run often enough on a connection.
    await sql`set local plan_cache_mode = force_generic_plan`.execute(tx);
    const blocks = async (): Promise<number> => {
      const { rows } = await sql<{ blocks: number }>`
        select (pg_stat_get_xact_blocks_fetched('associations'::regclass)
                + pg_stat_get_xact_blocks_fetched('associations_secret'::regclass))::int as blocks`.execute(tx);
      return rows[0]?.blocks ?? 0;
    };
    const before = await blocks();
    expect(await listSecrets({ db: tx }, 'small')).toHaveLength(ofSmall);
    expect((await blocks()) - before).toBeLessThan(20);
  });
  expect(await listSecrets(store, rootNamespace.id)).toHaveLength(ofRoot);
});

test('a page of the root does not read the associations of other namespaces that come before it', async () => {
  const own = await testStore();
  onTestFinished(() => own.close());
  await sql`insert into namespaces (id, uuid, path, custom_metadata) values ('busy', gen_random_uuid(), 'busy/', '{}')`.execute(
    own.db,
  );
  await sql`
    insert into destinations (type, name, connection, granularity, custom_tags, network, adopt, updated_at, namespace_id)
    values ('cloud-a-sm', 'd', 'x', 'secret-path', '{}', '{}', false, now(), ${rootNamespace.id}),
           ('cloud-a-sm', 'd', 'x', 'secret-path', '{}', '{}', false, now(), 'busy')`.execute(own.db);
  await sql`
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template, adopt,
                              desired, status, records, updated_at)
    select d.id, 'cloud-a-sm', '00000000-0000-4000-8000-000000000009'::uuid, 'kv/', 'kv_1',
           case when d.namespace_id = 'busy' then 'a' else 'b' end || lpad(n::text, 5, '0'), 'secret-path', 't', false, 'present',
           'SYNCED', '[]', now()
      from destinations d
     cross join lateral generate_series(1, case when d.namespace_id = 'busy' then 10000 else 500 end) n`.execute(
    own.db,
  );
  await sql`vacuum analyze associations`.execute(own.db);
  await own.db.transaction().execute(async (tx) => {
    for (const mode of ['force_generic_plan', 'force_custom_plan']) {
      await sql`set local plan_cache_mode = ${sql.raw(mode)}`.execute(tx);
      const before = await associationRowsRead(tx);
      const found = await listSecrets({ db: tx }, rootNamespace.id, { size: 100 });
      expect((await associationRowsRead(tx)) - before).toBeLessThan(1_000);
      expect([found.length, found[0]?.secret_name, found[100]?.secret_name]).toEqual([101, 'b00001', 'b00101']);
    }
  });
});

test('a page of a namespace reads the page, and not all secrets of the namespace', async () => {
  await sql`insert into namespaces (id, uuid, path, custom_metadata) values ('large', gen_random_uuid(), 'large/', '{}')`.execute(
    store.db,
  );
  await sql`
    insert into destinations (type, name, connection, granularity, custom_tags, network, adopt, updated_at, namespace_id)
    select 'cloud-a-sm', 'd' || n, 'x', 'secret-path', '{}', '{}', false, now(), 'large' from generate_series(1, 2) n`.execute(
    store.db,
  );
  // Two mounts; every third secret is at one destination only; one association is a remnant.
  await sql`
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template, adopt,
                              desired, status, records, updated_at)
    select d.id, 'cloud-a-sm', ('00000000-0000-4000-8000-00000000000' || m)::uuid, 'kv' || m || '/', 'kv_1', 's' || n, 'secret-path', 't',
           false, case when n = 1 then 'absent' else 'present' end, case when n = 1 then 'UNSYNCED' else 'SYNCED' end, '[]', now()
      from destinations d cross join generate_series(1, 2) m cross join generate_series(1, 3000) n
     where d.namespace_id = 'large' and (d.name = 'd1' or n % 3 <> 0)`.execute(store.db);
  await sql`vacuum analyze associations`.execute(store.db);
  const whole = await listSecrets(store, 'large');
  await store.db.transaction().execute(async (tx) => {
    await sql`set local plan_cache_mode = force_generic_plan`.execute(tx);
    const blocks = async (): Promise<number> => {
      const { rows } = await sql<{ blocks: number }>`
        select (pg_stat_get_xact_blocks_fetched('associations'::regclass)
                + (select sum(pg_stat_get_xact_blocks_fetched(indexrelid)) from pg_index
                    where indrelid = 'associations'::regclass))::int as blocks`.execute(tx);
      return rows[0]?.blocks ?? 0;
    };
    const walked: (typeof whole)[number][] = [];
    for (let page = whole.slice(0, 0); ; ) {
      const last = page.at(-1);
      const after = last && { mountId: last.mount_id, secretName: last.secret_name };
      const before = await blocks();
      const found = await listSecrets({ db: tx }, 'large', { after, size: 50 });
      expect((await blocks()) - before).toBeLessThan(500);
      page = found.slice(0, 50);
      walked.push(...page);
      if (found.length <= 50) break;
    }
    expect(walked).toEqual(whole);
  });
});

test('a page of a root with very many destinations is bounded, whoever comes before it', async () => {
  const own = await testStore();
  onTestFinished(() => own.close());
  await sql`insert into namespaces (id, uuid, path, custom_metadata) values ('busy', gen_random_uuid(), 'busy/', '{}')`.execute(
    own.db,
  );
  await sql`
    insert into destinations (type, name, connection, granularity, custom_tags, network, adopt, updated_at, namespace_id)
    select 'cloud-a-sm', 'd' || n, 'x', 'secret-path', '{}', '{}', false, now(), case when n > 600 then 'busy' else ${rootNamespace.id} end
      from generate_series(1, 601) n`.execute(own.db);
  // Those of the other namespace are between the first and the second half of the root's.
  await sql`
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template, adopt,
                              desired, status, records, updated_at)
    select d.id, 'cloud-a-sm', '00000000-0000-4000-8000-000000000009'::uuid, 'kv/', 'kv_1',
           case when d.namespace_id = 'busy' then 'm' when n = 1 then 'a' else 'z' end || lpad(n::text, 5, '0') || d.name,
           'secret-path', 't', false, 'present', 'SYNCED', '[]', now()
      from destinations d
     cross join lateral generate_series(1, case when d.namespace_id = 'busy' then 20000 else 2 end) n`.execute(own.db);
  await sql`vacuum analyze associations`.execute(own.db);
  const whole = await listSecrets(own, rootNamespace.id);
  expect(whole).toHaveLength(1_200);
  await own.db.transaction().execute(async (tx) => {
    for (const mode of ['force_generic_plan', 'force_custom_plan']) {
      await sql`set local plan_cache_mode = ${sql.raw(mode)}`.execute(tx);
      const walked: (typeof whole)[number][] = [];
      for (let more = true; more; ) {
        const last = walked.at(-1);
        const after = last && { mountId: last.mount_id, secretName: last.secret_name };
        const before = await associationRowsRead(tx);
        const found = await listSecrets({ db: tx }, rootNamespace.id, { after, size: 100 });
        expect((await associationRowsRead(tx)) - before).toBeLessThan(10_000);
        walked.push(...found.slice(0, 100));
        more = found.length > 100;
      }
      expect(walked).toEqual(whole);
    }
  });
});
