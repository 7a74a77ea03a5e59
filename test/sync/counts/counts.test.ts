import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { rootNamespace } from '#core/namespace.ts';
import { associationCounts } from '#store/migrations/0085-association-counts.ts';
import type { OpenStore } from '#store/open.ts';
import { markDirty } from '#store/outbox.ts';
import { countedDestinations, numbersOf } from '#sync/records/overview/counts.ts';
import { checkCounts, newCheckState } from '#sync/sweep/counts/check.ts';
import { foldCounts } from '#sync/sweep/counts/fold.ts';
import { testStore } from '../../store/stores.ts';
import { wrongCounts } from '../../support/flow/counts.ts';
import { insertDestinations, insertRecords } from '../records/many.ts';

let store: OpenStore;
beforeEach(async () => {
  store = await testStore();
  await insertDestinations(store, ['a', 'b']);
  await insertRecords(store, [
    { destination: 'a', secret: 'one' },
    { destination: 'a', secret: 'two', drift: 'changed' },
    { destination: 'a', secret: 'three', status: 'CLIENT_SIDE_ERROR', kind: 'name' },
    { destination: 'b', secret: 'one', status: 'PENDING', kind: 'timeout', attempts: 1 },
  ]);
  return () => store.close();
});

const ofSecret = (name: string) => sql`secret_name = ${name}`;
const rows = async (condition = sql`true`) =>
  (await sql<{ folded: boolean }>`select folded from association_counts where ${condition}`.execute(store.db)).rows;
const idOf = async (name: string) =>
  (await sql<{ id: string }>`select id::text as id from destinations where name = ${name}`.execute(store.db)).rows[0]
    ?.id ?? '';

test('a statement that changes no counted column adds nothing, and one that changes many rows adds one row for each group', async () => {
  await foldCounts(store);
  await sql`update associations set claimed_by = 'worker', claimed_until = now(), updated_at = now()`.execute(store.db);
  expect(await rows(sql`not folded`)).toEqual([]);
  await markDirty(ofSecret('one')).execute(store.db);
  // Of the destination a from SYNCED to PENDING; of the destination b the error, which is outdated.
  expect(await rows(sql`not folded`)).toHaveLength(4);
  expect(await wrongCounts(store.db)).toEqual([]);
});

describe('without waiting for each other', () => {
  test('transactions change associations of the same destination, and a fold and a check run beside them', async () => {
    const [began, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const open = store.transaction(async (tx) => {
      await markDirty(ofSecret('one')).execute(tx);
      began.resolve();
      await mayCommit.promise;
    });
    await began.promise;
    await store.transaction(async (tx) => {
      // A statement that waited for a lock would fail.
      await sql`set local lock_timeout = '5s'`.execute(tx);
      await markDirty(ofSecret('two')).execute(tx);
      await sql`delete from associations where ${ofSecret('three')}`.execute(tx);
      await foldCounts({ db: tx } as unknown as OpenStore);
      await foldCounts({ db: tx } as unknown as OpenStore);
    });
    const lines: object[] = [];
    await checkCounts({ store, log: logInto(lines) }, newCheckState());
    expect(lines).toEqual([]);
    const { counts } = await numbersOf(store, await idOf('a'));
    expect(Object.fromEntries(counts)).toEqual({ SYNCED: 1, PENDING: 1 });
    mayCommit.resolve();
    await open;
    expect(await wrongCounts(store.db)).toEqual([]);
  });
});

const logInto = (lines: object[]) => ({
  debug: () => {},
  info: () => {},
  warn: (fields: object) => lines.push(fields),
  error: () => {},
});

describe('a fold', () => {
  test('leaves one row for each group, also when it runs twice and many times at once', async () => {
    const expected = await countedDestinations(store, rootNamespace.id);
    for (let n = 0; n < 20; n += 1) {
      await markDirty(ofSecret('one')).execute(store.db);
      await sql`update associations set observed_generation = generation, status = 'SYNCED', dirty_since = null where ${ofSecret('one')}
                   and destination_id = ${await idOf('a')}::bigint`.execute(store.db);
    }
    await Promise.all(Array.from({ length: 8 }, () => foldCounts(store, 7)));
    expect(await wrongCounts(store.db)).toEqual([]);
    while ((await foldCounts(store)) > 0);
    await markDirty(sql`false`).execute(store.db);
    expect(await foldCounts(store)).toBe(0);
    expect(await wrongCounts(store.db)).toEqual([]);
    const [a] = await countedDestinations(store, rootNamespace.id);
    expect(a?.counts).toEqual(expected[0]?.counts);
  });

  test('leaves nothing of a destination that has no associations any more', async () => {
    await foldCounts(store);
    await sql`delete from associations`.execute(store.db);
    await sql`delete from destinations`.execute(store.db);
    await foldCounts(store);
    expect(await rows()).toEqual([]);
  });
});

describe('a check', () => {
  /** As a write that no trigger has seen. */
  const bypass = (statement: string) =>
    store.transaction(async (tx) => {
      await sql.raw('alter table associations disable trigger user').execute(tx);
      await sql.raw(statement).execute(tx);
      await sql.raw('alter table associations enable trigger user').execute(tx);
    });

  test('corrects counts that are wrong, one destination at a time, and says so', async () => {
    await bypass(`update associations set status = 'INTERNAL_ERROR', drift = null`);
    await bypass(`delete from associations where secret_name = 'two'`);
    const lines: object[] = [];
    const state = newCheckState();
    for (const name of ['a', 'b']) {
      await checkCounts({ store, log: logInto(lines) }, state);
      expect(lines.at(-1)).toMatchObject({ destination: await idOf(name) });
      // It is not due for a while.
      await checkCounts({ store, log: logInto(lines) }, state);
      state.dueAtMs = 0;
    }
    expect(lines).toHaveLength(2);
    expect(await wrongCounts(store.db)).toEqual([]);
    await checkCounts({ store, log: logInto(lines) }, state);
    expect(state.after).toBe('0');
  });

  test('passes over a destination with very many associations', async () => {
    await bypass(`delete from associations where secret_name = 'two'`);
    const lines: object[] = [];
    await checkCounts({ store, log: logInto(lines) }, newCheckState(), 2);
    expect(lines).toEqual([]);
    expect(await wrongCounts(store.db)).not.toEqual([]);
  });

  test('does not correct twice what several find at the same time', async () => {
    await bypass(`delete from associations where secret_name = 'one'`);
    const id = await idOf('a');
    const mend = () => sql`select from mend_association_counts(${id}::bigint)`.execute(store.db);
    await Promise.all([mend(), mend(), mend(), checkCounts({ store, log: logInto([]) }, newCheckState())]);
    expect((await wrongCounts(store.db)).filter(({ destination_id }) => destination_id === id)).toEqual([]);
  });
});

test('the migration counts what there is, beside processes that write, and may run again', async () => {
  await sql`delete from association_counts`.execute(store.db);
  for (const name of ['made', 'changed', 'deleted'])
    await sql.raw(`drop trigger associations_${name} on associations`).execute(store.db);
  await markDirty(ofSecret('two')).execute(store.db);
  let isOver = false;
  const writing = (async () => {
    while (!isOver) await markDirty(ofSecret('one')).execute(store.db);
  })();
  await associationCounts(store.db);
  await markDirty(ofSecret('three')).execute(store.db);
  await associationCounts(store.db);
  isOver = true;
  await writing;
  expect(await wrongCounts(store.db)).toEqual([]);
});
