import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { OpenStore } from '#store/open.ts';
import { markDirty } from '#store/outbox.ts';
import { takeSample } from '#sync/samples/take.ts';
import { foldCounts } from '#sync/sweep/counts/fold.ts';
import { testStore } from '../../store/stores.ts';
import { wrongCounts } from '../../support/flow/counts.ts';
import { insertDestinations, insertRecords } from '../records/many.ts';

let store: OpenStore;
beforeEach(async () => {
  store = await testStore();
  await insertDestinations(store, ['a', 'b']);
  return () => store.close();
});

const insert = () =>
  insertRecords(store, [
    { destination: 'a', secret: 'one' },
    { destination: 'a', secret: 'two', status: 'PENDING' },
    { destination: 'a', secret: 'three', status: 'CLIENT_SIDE_ERROR', kind: 'name' },
    { destination: 'b', secret: 'one' },
  ]);

/** Arrivals since the last time, by destination. */
async function arrived(): Promise<Readonly<Record<string, number>>> {
  await foldCounts(store);
  const { rows } = await sql<{ name: string; arrived: number }>`
    with before as (select destination_id, arrived from destination_results where arrived > 0),
         emptied as (update destination_results set arrived = 0)
    select d.name, b.arrived from before b join destinations d on d.id = b.destination_id order by d.name`.execute(
    store.db,
  );
  return Object.fromEntries(rows.map(({ name, arrived }) => [name, arrived]));
}

test('an association that becomes dirty has arrived, once', async () => {
  await insert();
  expect(await arrived()).toEqual({ a: 1 });
  await markDirty(sql`secret_name = 'one'`).execute(store.db);
  expect(await arrived()).toEqual({ a: 1, b: 1 });
  await markDirty(sql`true`).execute(store.db);
  expect(await arrived()).toEqual({ a: 1 });
});

test('what arrived and was done between two rounds has arrived', async () => {
  await insert();
  await arrived();
  await markDirty(sql`true`).execute(store.db);
  await sql`update associations set observed_generation = generation, status = 'SYNCED', error = null`.execute(
    store.db,
  );
  expect(await arrived()).toEqual({ a: 2, b: 1 });
});

test('neither a retry, nor another change of what waits, nor an outcome is an arrival', async () => {
  await insert();
  await markDirty(sql`true`).execute(store.db);
  await arrived();
  await markDirty(sql`true`).execute(store.db);
  await sql`update associations set attempts = 1, error = '{"kind":"timeout","message":"late"}'`.execute(store.db);
  expect(await arrived()).toEqual({});
  await sql`update associations set observed_generation = generation, status = 'SYNCED', error = null`.execute(
    store.db,
  );
  expect(await arrived()).toEqual({});
  await sql`delete from associations where secret_name = 'two'`.execute(store.db);
  expect([await arrived(), await wrongCounts(store.db)]).toEqual([{}, []]);
});

test('arrivals are in the next sample, and those of a deleted destination in none', async () => {
  await insert();
  await markDirty(sql`true`).execute(store.db);
  await sql`delete from associations where destination_id in (select id from destinations where name = 'b')`.execute(
    store.db,
  );
  await sql`delete from destinations where name = 'b'`.execute(store.db);
  await foldCounts(store);
  await takeSample({ store, queue: { pendingCount: async () => 0 } }, 100);
  const { rows } = await sql`select name, pending, arrived, done from sync_samples`.execute(store.db);
  expect(rows).toEqual([{ name: 'a', pending: 3, arrived: 3, done: 0 }]);
  expect(await arrived()).toEqual({});
});
