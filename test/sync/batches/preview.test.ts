import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenStore } from '#store/open.ts';
import type { Store } from '#store/store.ts';
import { type Matching, matchingAfter, previewBatch } from '#sync/batches/preview.ts';
import { isSelected, type Selection } from '#sync/batches/walk.ts';
import { associationEntriesRead } from '#test/support/measures/rows-read.ts';
import { testStore } from '../../store/stores.ts';
import { insertDestinations, insertRecords } from '../records/many.ts';

let store: OpenStore;
const ofOther = 10_000;

beforeAll(async () => {
  store = await testStore();
  await sql`insert into namespaces (id, uuid, path, custom_metadata) values ('busy', gen_random_uuid(), 'busy/', '{}')`.execute(
    store.db,
  );
  await insertDestinations(store, ['crowd'], 'busy');
  await insertDestinations(store, ['one', 'two']);
  const failed = (n: number) => (n % 10 === 1 ? { status: 'EXTERNAL_SERVICE_ERROR', kind: 'timeout' } : {});
  const some = (destination: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      destination,
      secret: `s${n}`,
      mount: n % 3 === 0 ? 'kv/' : 'team/',
      ...failed(n),
    }));
  await insertRecords(store, some('crowd', ofOther));
  await insertRecords(store, [...some('one', 60), ...some('two', 40)]);
  await sql`vacuum analyze associations`.execute(store.db);
});
afterAll(() => store.close());

const ofRoot = (more: Partial<Selection>): Selection => ({
  namespaceId: 'root',
  filter: {},
  updatedBefore: null,
  ...more,
});

const selections: readonly (readonly [string, Selection])[] = [
  ['everything', ofRoot({})],
  ['what is old', ofRoot({ updatedBefore: new Date('2020-01-01') })],
  ['a destination', ofRoot({ filter: { type: 'cloud-a-sm', name: 'two' } })],
  ['statuses', ofRoot({ filter: { statuses: ['EXTERNAL_SERVICE_ERROR'] } })],
  ['healthy ones', ofRoot({ filter: { statuses: ['SYNCED'] } })],
  ['a mount and a prefix', ofRoot({ filter: { mount: 'team/', prefix: 's1' } })],
  ['a secret', ofRoot({ filter: { secret: 's31' } })],
  ['secrets', ofRoot({ secrets: ['s1', 's2', 's50'] })],
  ['no destination', ofRoot({ destinations: [] })],
];

const selectedIds = async (selection: Selection): Promise<readonly string[]> => {
  const { rows } = await sql<{ id: string }>`
    select a.id::text as id from associations a join destinations d on d.id = a.destination_id where ${isSelected(selection)}
     order by d.id, a.mount_id, a.secret_name`.execute(store.db);
  return rows.map(({ id }) => id);
};

/** How many associations and entries of their indexes `read` goes through. */
async function looked(read: (store: Pick<Store, 'db'>) => Promise<unknown>): Promise<number> {
  return store.db.transaction().execute(async (tx) => {
    await sql`set local plan_cache_mode = force_generic_plan`.execute(tx);
    const before = await associationEntriesRead(tx);
    await read({ db: tx });
    return (await associationEntriesRead(tx)) - before;
  });
}

describe.each(selections)('%s', (_what, selection) => {
  test('is counted, and found once', async () => {
    const ids = await selectedIds(selection);
    expect(await previewBatch(store, 'force', selection)).toMatchObject({ total: ids.length, exact: true });
    const found = await matchingAfter(store, selection, undefined);
    expect(found.map(({ id }) => id)).toEqual(ids);
    for (const last of [found[0], found[20], found.at(-1)].flatMap((one) => one ?? []))
      expect(await idsAfter(selection, last)).toEqual(ids.slice(ids.indexOf(last.id) + 1));
  });

  test('is found without the associations of other namespaces', async () => {
    expect(await looked((db) => previewBatch(db, 'force', selection))).toBeLessThan(1_000);
    expect(await looked((db) => matchingAfter(db, selection, undefined))).toBeLessThan(1_000);
  });
});

const idsAfter = async (selection: Selection, last: Matching) =>
  (await matchingAfter(store, selection, last)).map(({ id }) => id);

test('ids are looked up', async () => {
  const ids = (await selectedIds(ofRoot({}))).slice(10, 30);
  const selection = ofRoot({ filter: { ids } });
  expect((await matchingAfter(store, selection, undefined)).map(({ id }) => id)).toEqual(ids);
  expect(await previewBatch(store, 'force', selection)).toMatchObject({ total: ids.length });
  expect(await looked((db) => previewBatch(db, 'force', selection))).toBeLessThan(1_000);
});

test('a replay counts only failed ones, by destination and status', async () => {
  expect(await previewBatch(store, 'replay', ofRoot({}))).toEqual({
    total: 10,
    exact: true,
    counts: [
      { type: 'cloud-a-sm', name: 'one', status: 'EXTERNAL_SERVICE_ERROR', count: 6 },
      { type: 'cloud-a-sm', name: 'two', status: 'EXTERNAL_SERVICE_ERROR', count: 4 },
    ],
  });
});
