import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { OpenStore } from '#store/open.ts';
import { attemptsPerRecord, historyOf, historyStart, pruneHistory } from '#sync/records/history.ts';
import { testStore } from '../../store/stores.ts';
import { insertDestinations, insertRecords } from './many.ts';

/** More than one page of a pruning. */
const many = 1_300;

let store: OpenStore;
let one = '';
let other = '';
beforeAll(async () => {
  store = await testStore();
  await insertDestinations(store, ['d']);
  await insertRecords(store, [
    { destination: 'd', secret: 'one' },
    { destination: 'd', secret: 'other' },
  ]);
  const { rows } = await sql<{ id: string }>`select id::text as id from associations order by id`.execute(store.db);
  [one = '', other = ''] = rows.map(({ id }) => id);
  return () => store.close();
});
beforeEach(() => sql`delete from sync_attempts`.execute(store.db));

const attempts = (associationId: string, count: number, age = '0 days') =>
  sql`
  insert into sync_attempts (association_id, generation, ended_at, duration_ms, calls, outcome)
  select ${associationId}::bigint, n, now() - ${age}::interval, n, 1, 'synced' from generate_series(1, ${count}::int) n`.execute(
    store.db,
  );

async function prune(): Promise<void> {
  let place = historyStart;
  do place = await pruneHistory(store, place);
  while (place !== historyStart);
}

const keptOf = async (associationId: string): Promise<readonly number[]> => {
  const { rows } = await sql<{ generation: number }>`
    select generation from sync_attempts where association_id = ${associationId}::bigint order by id desc`.execute(
    store.db,
  );
  return rows.map(({ generation }) => generation);
};

test('the last attempts of a record are kept, the newest first', async () => {
  await attempts(one, many);
  await attempts(other, 3);
  await prune();
  const newest = Array.from({ length: attemptsPerRecord }, (_, index) => many - index);
  expect(await keptOf(one)).toEqual(newest);
  expect((await historyOf(store, one)).map(({ generation }) => generation)).toEqual(newest);
  expect(await keptOf(other)).toEqual([3, 2, 1]);
  await prune();
  expect(await keptOf(one)).toEqual(newest);
});

test('a read shows no more than is kept, also before it is pruned', async () => {
  await attempts(one, attemptsPerRecord + 5);
  expect(await historyOf(store, one)).toHaveLength(attemptsPerRecord);
});

test('old attempts and those of deleted associations go', async () => {
  await attempts(one, 2, '31 days');
  await attempts(one, 2, '29 days');
  await attempts('999999', 2);
  await prune();
  expect([await keptOf(one), await keptOf('999999')]).toEqual([[2, 1], []]);
});

test('the oldest go when there are too many in all', async () => {
  await attempts(one, 2);
  await sql`select setval('sync_attempts_id_seq', last_value + 2000000 - 1) from sync_attempts_id_seq`.execute(
    store.db,
  );
  await attempts(other, 1);
  await prune();
  expect([await keptOf(one), await keptOf(other)]).toEqual([[], [1]]);
});
