import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpenStore } from '#store/open.ts';
import { recentlyDirtyStatement } from '#sync/records/recently-dirty.ts';
import { testStore } from '../../store/stores.ts';

let store: OpenStore;
const type = 'workspace-vars';
/** More changes of one destination than destinations are returned. */
const manyOf = 3_000;
const withinMs = 60_000;

async function destination(name: string, ofType = type, namespaceId = 'root'): Promise<void> {
  await sql`
    insert into destinations (namespace_id, type, name, connection, granularity, custom_tags, network, adopt, updated_at)
    values (${namespaceId}, ${ofType}, ${name}, 'x', 'secret-path', '{}', '{}', false, now())`.execute(store.db);
}

/** Changes that began to wait so many seconds ago. */
const changes = (name: string, count: number, secondsAgo: number, status = 'PENDING') =>
  sql`
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template, adopt,
                              desired, generation, observed_generation, status, records, updated_at, dirty_since)
    select d.id, d.type, gen_random_uuid(), 'kv/', 'kv_1', ${`${name}-${status}`} || n, 'secret-path', 'x', false, 'present', 2,
           case ${status} when 'SYNCED' then 2 else 1 end, ${status}, '[]', now(), now() - make_interval(secs => ${secondsAgo}::float8)
      from generate_series(1, ${count}::int) n, destinations d where d.name = ${name}`.execute(store.db);

beforeAll(async () => {
  store = await testStore();
  for (const name of ['busy', 'quiet', 'old', 'synced']) await destination(name);
  await destination('other-type', 'cloud-a-sm');
  await changes('busy', manyOf, 1);
  await changes('quiet', 1, 20);
  await changes('old', 1, 600);
  await changes('synced', 1, 1, 'SYNCED');
  await changes('other-type', 1, 1);
  await sql`analyze associations, destinations`.execute(store.db);
});
afterAll(() => store.close());

const namesOf = async () =>
  (await recentlyDirtyStatement(type, withinMs).execute(store.db)).rows.map(({ name }) => name);

test('a destination is found however many changes of another one are newer, and each once', async () => {
  expect(await namesOf()).toEqual(['busy', 'quiet']);
});

test('the newest change of each destination is found along an index', async () => {
  const { rows } = await store.db.transaction().execute(async (tx) => {
    // Tables this small are read as a whole otherwise.
    await sql`set local enable_seqscan = off`.execute(tx);
    return sql<{ 'QUERY PLAN': string }>`explain ${recentlyDirtyStatement(type, withinMs)}`.execute(tx);
  });
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toMatch(/Index (Only )?Scan Backward using associations_waiting/);
  expect(plan).not.toContain('Seq Scan on associations');
});

test('beyond the bound every namespace has its first destination', async () => {
  const namespace = 'other';
  await sql`
    insert into namespaces (id, path, custom_metadata) values (${namespace}, ${`${namespace}/`}, '{}')`.execute(
    store.db,
  );
  for (let n = 0; n < 1_001; n += 1) await destination(`full-${n}`);
  await sql`
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template, adopt,
                              desired, generation, observed_generation, status, records, updated_at, dirty_since)
    select id, type, gen_random_uuid(), 'kv/', 'kv_1', 's', 'secret-path', 'x', false, 'present', 2, 1, 'PENDING', '[]', now(), now()
      from destinations where name like 'full-%'`.execute(store.db);
  await destination('of-another', type, namespace);
  await changes('of-another', 1, 50);
  const names = await namesOf();
  expect(names).toHaveLength(1_000);
  expect(names).toContain('of-another');
});
