import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type OpenStore, openStore } from '#store/open.ts';
import { StatementNames } from '#store/postgres/statements/names.ts';
import { ending, testDatabase } from '#test/support/services.ts';
import { storeOptions } from '../../stores.ts';

test('a frequent statement is prepared once on its connection', async () => {
  const store = ending(await openStore(storeOptions(await testDatabase())));
  // A single connection, so that its prepared statements can be queried.
  const prepared = await store.db.connection().execute(async (db) => {
    const read = db.selectFrom('revisions').selectAll().where('name', '=', 'mounts');
    for (let count = 0; count < 10; count += 1) expect(await read.execute()).toHaveLength(1);
    const { rows } = await sql<{ name: string; calls: number }>`
      select name, (generic_plans + custom_plans)::int as calls from pg_prepared_statements
       where statement = ${read.compile().sql}`.execute(db);
    return rows;
  });
  expect(prepared).toEqual([{ name: expect.stringMatching(/^k[0-9a-f]{24}$/), calls: 7 }]);
});

test('a prepared statement whose columns have changed still works, even in a transaction', async () => {
  const store = ending(await openStore(storeOptions(await testDatabase(), { poolSize: 2 })));
  const readBy = (db: OpenStore['db']) => db.selectFrom('revisions').selectAll().where('name', '=', 'mounts').execute();
  const lockBy = (db: OpenStore['db']) =>
    db.selectFrom('revisions').selectAll().where('name', '=', 'mounts').forUpdate().execute();
  for (let count = 0; count < 10; count += 1) {
    await readBy(store.db);
    await store.transaction((tx) => lockBy(tx));
  }
  await sql`alter table revisions add column later integer`.execute(store.db);
  expect(await readBy(store.db)).toEqual([{ name: 'mounts', revision: 0, later: null }]);
  expect(await store.transaction((tx) => lockBy(tx))).toEqual([{ name: 'mounts', revision: 0, later: null }]);
});

test('the number of names is bounded, and earlier texts keep theirs', () => {
  const names = new StatementNames();
  const ask = (text: string) => Array.from({ length: 4 }, () => names.nameOf(text)).at(-1);
  const given = Array.from({ length: 1_000 }, (_, index) => ask(`select ${index}`));
  expect(new Set(given.filter((name) => name !== undefined)).size).toBe(200);
  expect(names.nameOf('select 0')).toBe(given[0]);
});

test('texts that do not repeat get no name, however many there are', () => {
  const names = new StatementNames();
  for (let index = 0; index < 10_000; index += 1) expect(names.nameOf(`select ${index}`)).toBeUndefined();
});

test('several statements in one text still run when they are repeated', async () => {
  const store = ending(await openStore(storeOptions(await testDatabase())));
  for (let count = 0; count < 10; count += 1) await sql.raw('select 1; select 2').execute(store.db);
  expect(await store.reachable()).toBe(true);
});
