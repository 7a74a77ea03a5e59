import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openStore } from '#store/open.ts';
import { ending, testDatabase } from '../support/services.ts';
import { storeOptions } from './stores.ts';

const open = async () => ending(await openStore(storeOptions(await testDatabase())));

test('when two transactions deadlock, the aborted one runs again and both succeed', async () => {
  const store = await open();
  await store.db
    .insertInto('revisions')
    .values([{ name: 'a' }, { name: 'b' }])
    .execute();
  const bothHold = Promise.withResolvers<void>();
  let holding = 0;
  let runs = 0;
  const add = (first: string, second: string) =>
    store.transaction(async (tx) => {
      runs += 1;
      const count = (name: string) =>
        tx.updateTable('revisions').set({ revision: sql`revision + 1` }).where('name', '=', name).execute();
      await count(first);
      holding += 1;
      if (holding === 2) bothHold.resolve();
      await bothHold.promise;
      await count(second);
    });
  await Promise.all([add('a', 'b'), add('b', 'a')]);
  const rows = await store.db.selectFrom('revisions').select('revision').where('name', 'in', ['a', 'b']).execute();
  expect(rows).toEqual([{ revision: 2 }, { revision: 2 }]);
  // The second run may take its first row before the other transaction wakes, and deadlock again.
  expect(runs).toBeGreaterThanOrEqual(3);
});

test('a transaction that collides every time fails after five attempts', async () => {
  const store = await open();
  let runs = 0;
  const failing = store.transaction(async (tx) => {
    runs += 1;
    await sql`do $$ begin raise exception 'again' using errcode = '40001'; end $$`.execute(tx);
  });
  await expect(failing).rejects.toThrow(expect.objectContaining({ kind: 'unavailable' }));
  expect(runs).toBe(5);
});

test('another error ends the transaction at once and undoes it', async () => {
  const store = await open();
  let runs = 0;
  const failing = store.transaction(async (tx) => {
    runs += 1;
    await tx.insertInto('revisions').values({ name: 'x' }).execute();
    throw new Error('mine');
  });
  await expect(failing).rejects.toThrow('mine');
  expect(runs).toBe(1);
  expect(await store.db.selectFrom('revisions').selectAll().where('name', '=', 'x').execute()).toEqual([]);
});

test('a transaction in which a failed statement was ignored does not look committed', async () => {
  const store = await open();
  const ignoring = store.transaction(async (tx) => {
    await tx.insertInto('revisions').values({ name: 'x' }).execute();
    await sql`select 1 / 0`.execute(tx).catch(() => {});
  });
  await expect(ignoring).rejects.toThrow();
});
