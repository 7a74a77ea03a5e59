import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { silentLog } from '#core/log/log.ts';
import type { Dirty } from '#store/outbox.ts';
import type { Store } from '#store/store.ts';
import { beginMarkings } from '#sync/marking/begin.ts';
import { continueMarkings } from '#sync/marking/continue.ts';
import { openMarker } from '#sync/marking/marker.ts';
import { markPage, pageSize } from '#sync/marking/page.ts';
import { newSweepState, sweep } from '#sync/sweep/sweep.ts';
import { testQueue } from '../../queue/queues.ts';
import { testStore } from '../../store/stores.ts';
import { ending } from '../../support/services.ts';

const many = 3 * pageSize + 7;

async function storeWith(destinations: readonly { readonly name: string; readonly namespace?: string }[]) {
  const store = ending(await testStore());
  for (const { name, namespace = 'root' } of destinations) {
    await sql`
      with d as (
        insert into destinations (namespace_id, type, name, connection, granularity, custom_tags, network, adopt, updated_at)
        values (${namespace}, 'cloud-a-sm', ${name}, '', 'secret-path', '{}', '{}', false, now()) returning id
      )
      insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template,
                                adopt, desired, generation, observed_generation, status, records, updated_at)
      select d.id, 'cloud-a-sm', gen_random_uuid(), 'secret/', 'kv_1', 'app', 'secret-path', '', false, 'present', 1, 1, 'SYNCED',
             '[]', now()
        from d cross join generate_series(1, ${many}::int)`.execute(store.db);
  }
  return store;
}

const begin = (store: Store, forced = false) => beginMarkings(store.db, sql`true`, { reason: 'destination', forced });

/** How many associations there are of each generation. */
async function generations({ db }: Store): Promise<Readonly<Record<string, number>>> {
  const { rows } = await sql<{ generation: string; count: number }>`
    select generation::text as generation, count(*)::int as count from associations group by generation`.execute(db);
  return Object.fromEntries(rows.map(({ generation, count }) => [generation, count]));
}

const open = async ({ db }: Store): Promise<number> => (await sql`select 1 from markings`.execute(db)).rows.length;
const never = new AbortController().signal;
const atOnce = { restShare: 0, looksMax: 0 };

const rules = {
  describeSecrets: async () => [],
  describeBelow: async () => [],
  readPath: () => undefined,
  rightsOf: async () => undefined,
};
const associate = { definitions: [], holdSecrets: async () => [], rules };

test('the sweep marks what a dead process has left unmarked, each association once', async () => {
  const store = await storeWith([{ name: 'one' }]);
  const [destination = ''] = await begin(store);
  await markPage(store, destination);
  expect(await generations(store)).toEqual({ 1: many - pageSize, 2: pageSize });
  const changed: string[] = [];
  const note = async (dirty: readonly Dirty[]) => {
    changed.push(...dirty.map(({ id }) => id));
    return [];
  };
  const parts = {
    store,
    queue: await testQueue(),
    log: silentLog,
    changed: note,
    expire: async () => [],
    ...associate,
  };
  const state = newSweepState();
  while ((await open(store)) > 0) await sweep(parts, state);
  expect(await generations(store)).toEqual({ 2: many });
  expect(new Set(changed).size).toBe(many - pageSize);
});

test('concurrent processes mark each association once', async () => {
  const store = await storeWith([{ name: 'one' }, { name: 'two' }]);
  await begin(store);
  const parts = { store, changed: async () => [] };
  while ((await open(store)) > 0) {
    await Promise.all([...Array(4).keys()].map(() => continueMarkings(parts, never, atOnce)));
  }
  expect(await generations(store)).toEqual({ 2: 2 * many });
});

test('a change between two pages restarts the marking, and a forced marking stays forced', async () => {
  const store = await storeWith([{ name: 'one' }]);
  const [destination = ''] = await begin(store, true);
  await markPage(store, destination);
  await begin(store, false);
  await continueMarkings({ store, changed: async () => [] }, never, atOnce);
  expect(await generations(store)).toEqual({ 2: many - pageSize, 3: pageSize });
  const { rows } = await sql`select 1 from associations where forced_generation <> generation`.execute(store.db);
  expect(rows).toEqual([]);
});

test('a change that commits while a page is being marked is not mistaken for the earlier one', async () => {
  const store = await storeWith([{ name: 'one' }]);
  const [destination = ''] = await begin(store);
  // The page of the earlier change waits for the lock and then finds a later change.
  const late = store.db.transaction().execute(async (tx) => {
    await begin({ ...store, db: tx });
    await sql`insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity,
                                        template, adopt, desired, generation, observed_generation, status, records, updated_at)
              select destination_id, type, '00000000-0000-0000-0000-000000000001', mount_path, mount_accessor, 'late', granularity,
                     template, adopt, desired, 1, 1, 'SYNCED', '[]', now() from associations limit 1`.execute(tx);
    await sql`update markings set association_max = (select max(id) from associations)`.execute(tx);
  });
  await Promise.all([late, markPage(store, destination)]);
  await continueMarkings({ store, changed: async () => [] }, never, atOnce);
  const { rows } = await sql`select 1 from associations where generation = 1`.execute(store.db);
  expect(rows).toEqual([]);
});

test('namespaces take turns, however many changed destinations one of them has', async () => {
  const names = [...Array(70).keys()].map((index) => ({ name: `many-${index}` }));
  const store = ending(await testStore());
  await sql`insert into namespaces (id, path, custom_metadata) values ('small', 'small/', '{}')`.execute(store.db);
  for (const { name } of names) await destinationWithOne(store, name, 'root');
  const small = await destinationWithOne(store, 'other', 'small');
  await begin(store);
  const stop = new AbortController();
  const order: string[] = [];
  const changed = async (dirty: readonly Dirty[]) => {
    order.push(...dirty.map(({ destination_id }) => destination_id));
    return [];
  };
  await continueMarkings({ store, changed }, stop.signal, atOnce);
  expect(order.indexOf(small)).toBeLessThan(2);
});

test('a closed marker ends after the current page', async () => {
  const store = await storeWith([{ name: 'one' }]);
  const marker = openMarker({ store, changed: async () => [], log: silentLog });
  await marker.begun(await begin(store));
  await marker.close();
  const { 1: left = 0, 2: marked = 0 } = await generations(store);
  expect([left + marked, marked >= pageSize]).toEqual([many, true]);
});

async function destinationWithOne({ db }: Store, name: string, namespace: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    with d as (
      insert into destinations (namespace_id, type, name, connection, granularity, custom_tags, network, adopt, updated_at)
      values (${namespace}, 'cloud-a-sm', ${name}, '', 'secret-path', '{}', '{}', false, now()) returning id
    )
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template,
                              adopt, desired, generation, observed_generation, status, records, updated_at)
    select d.id, 'cloud-a-sm', gen_random_uuid(), 'secret/', 'kv_1', 'app', 'secret-path', '', false, 'present', 1, 1, 'SYNCED',
           '[]', now() from d returning destination_id::text as id`.execute(db);
  return rows[0]?.id ?? '';
}
