import { type QueryExecutorProvider, sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { OpenStore } from '#store/open.ts';
import type { Store } from '#store/store.ts';
import type { Places } from '#sync/samples/places.ts';
import { readSamples } from '#sync/samples/read.ts';
import { takeSample } from '#sync/samples/take.ts';
import { testStore } from '../../store/stores.ts';
import { insertDestinations, insertRecords } from '../records/many.ts';

let store: OpenStore;
beforeEach(async () => {
  store = await testStore();
  await insertDestinations(store, ['a', 'b']);
  await insertRecords(store, [{ destination: 'a', secret: 'one', status: 'PENDING' }]);
  return () => store.close();
});

const begin = '2030-01-31T08:00:00Z';
const range = {
  namespaceId: 'root',
  from: new Date('2030-01-31T07:59:50Z'),
  to: new Date('2030-01-31T09:05:10Z'),
  type: undefined,
  name: undefined,
};
const coarseRange = { ...range, from: new Date('2030-01-31T07:55:00Z'), to: new Date('2030-01-31T09:10:00Z') };

const given = [
  ['a', 5, { timeout: 2, permission: 1 }],
  ['b', 1, {}],
  ['a', 3, { timeout: 4 }],
  ['a', 2, {}],
] as const;

/** Samples of an hour, in one transaction, whose time does not pass. They are moved to where an hour begins. */
async function sampled(tx: QueryExecutorProvider): Promise<void> {
  for (const [index, [name, done, errors]] of given.entries()) {
    const failed = Object.values(errors).reduce((sum, one) => sum + one, 0);
    await sql`
      insert into destination_results (destination_id, done, failed, errors, arrived)
      select id, ${done}::int, ${failed}::int, ${JSON.stringify(errors)}::jsonb, ${index + 1}::int from destinations where name = ${name}
          on conflict (destination_id) do update
         set done = excluded.done, failed = excluded.failed, errors = excluded.errors, arrived = excluded.arrived`.execute(
      tx,
    );
    const { taken } = await takeSample(
      { store: { db: tx as Store['db'] }, queue: { pendingCount: async () => 7 } },
      100,
    );
    expect(taken).toBe(true);
    const slot = sql`${begin}::timestamptz + ${index * 10}::int * interval '1 s'`;
    await sql`update sync_sample_slots set slot = ${slot} where slot <= now()`.execute(tx);
    await sql`update sync_samples set slot = ${slot} where slot <= now()`.execute(tx);
    await sql`update sync_sample_sums set slot = ${slot} where slot <= now() and seconds = 10`.execute(tx);
  }
  for (const table of ['sync_sample_spans', 'sync_sample_sums'])
    await sql`update ${sql.table(table)} set slot = ${begin} where slot <= now()`.execute(tx);
}

const read = (step: number, places?: Places) => readSamples(store, step === 300 ? coarseRange : range, step, places);
const sumsIn = (rows: Awaited<ReturnType<typeof read>>) => rows.filter(({ at }) => at === null);

const asSingle: Places = {
  types: [],
  single: [
    { type: 'cloud-a-sm', name: 'a' },
    { type: 'cloud-a-sm', name: 'b' },
  ],
};

test('sums have what the samples of their destinations have, and so has every step', async () => {
  await store.transaction((tx) => sampled(tx));
  const [fine, coarse] = [await read(10), await read(300)];
  expect(fine.filter(({ at }) => at !== null).map(({ done, failed, arrived }) => [done, failed, arrived])).toEqual([
    [5, 3, 1],
    [1, 0, 2],
    [3, 4, 3],
    [2, 0, 4],
  ]);
  const sums = sumsIn(fine);
  expect(sums).toMatchObject([
    {
      type: 'cloud-a-sm',
      name: null,
      pending: 1,
      done: 11,
      failed: 7,
      arrived: 10,
      errors: { timeout: 6, permission: 1 },
    },
    { name: 'a', pending: 1, done: 10, failed: 7, arrived: 8, errors: { timeout: 6, permission: 1 } },
    { name: 'b', pending: 0, done: 1, failed: 0, arrived: 2, errors: null },
  ]);
  expect(coarse.filter(({ at }) => at !== null)).toMatchObject([
    { samples: 4, pending: 1, done: 11, failed: 7, arrived: 10, errors: { timeout: 6, permission: 1 } },
  ]);
  expect(sumsIn(coarse)).toEqual(sums);
  for (const step of [10, 300]) expect(await read(step, asSingle)).toEqual(await read(step));
  // As if a sweep of an earlier release had taken all of them.
  await sql`delete from sync_sample_sums`.execute(store.db);
  await sql`update sync_sample_slots set summed = false`.execute(store.db);
  expect([await read(10), await read(300)]).toEqual([fine, coarse]);
});

test('a sample of an earlier release counts beside sums', async () => {
  await store.transaction(async (tx) => {
    await sampled(tx);
    await sql`insert into sync_sample_slots (slot, pending, capacity) values (${begin}::timestamptz + interval '60 s', 3, 100)`.execute(
      tx,
    );
    await sql`insert into sync_samples (namespace_id, slot, type, name, pending, done, failed, errors)
              values ('root', ${begin}::timestamptz + interval '60 s', 'cloud-a-sm', 'b', 4, 20, 1, '{"name": 1}')`.execute(
      tx,
    );
    await sql`update sync_sample_spans set pending = 4, done = done + 20, failed = 1, errors = '{"name": 1}' where name = 'b'`.execute(
      tx,
    );
  });
  for (const step of [10, 60, 300]) {
    const rows = await read(step);
    const points = rows.filter(({ at }) => at !== null);
    expect(
      points.reduce((sum, { done }) => sum + done, 0),
      `${step}`,
    ).toBe(31);
    expect(sumsIn(rows)).toMatchObject([
      { name: null, done: 31, failed: 8, arrived: 10, errors: { timeout: 6, permission: 1, name: 1 } },
      { name: 'a', done: 10 },
      { name: 'b', pending: 4, done: 21, failed: 1, errors: { name: 1 } },
    ]);
  }
  expect((await read(10)).find(({ at }) => at?.getTime() === Date.parse('2030-01-31T08:01:00Z'))).toMatchObject({
    done: 20,
    arrived: null,
  });
});
