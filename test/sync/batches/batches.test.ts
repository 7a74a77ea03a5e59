import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '#core/errors.ts';
import { silentLog } from '#core/log/log.ts';
import { definitions } from '#destinations/index.ts';
import type { OpenStore } from '#store/open.ts';
import type { Dirty } from '#store/outbox.ts';
import type { BatchAction } from '#sync/batches/batch.ts';
import { type BatchParts, continueBatches } from '#sync/batches/continue.ts';
import { changePage, pageSize } from '#sync/batches/page.ts';
import { cancelBatch, createBatch, listBatches, loadBatch, pruneBatches } from '#sync/batches/store.ts';
import type { RecordFilter } from '#sync/records/filter.ts';
import { testStore } from '../../store/stores.ts';
import { insertDestinations, insertRecords } from '../records/many.ts';

/** More than two pages. */
const many = pageSize * 2 + 300;
const never = new AbortController().signal;

let store: OpenStore;
beforeAll(async () => {
  store = await testStore();
  await sql`insert into namespaces (id, path, custom_metadata) values ('team', 'team/', '{}')`.execute(store.db);
  await insertDestinations(store, ['one', 'two']);
  await insertDestinations(store, ['one'], 'team');
  return () => store.close();
});
beforeEach(async () => {
  await sql`delete from sync_batches`.execute(store.db);
  await sql`delete from associations`.execute(store.db);
});

const failed = (count: number, destination = 'one', kind = 'timeout') =>
  insertRecords(
    store,
    Array.from({ length: count }, (_, index) => ({
      destination,
      secret: `s${index}`,
      status: 'EXTERNAL_SERVICE_ERROR',
      kind,
    })),
  );

function open(changes: Partial<BatchParts> = {}) {
  const queued: Dirty[] = [];
  const parts: BatchParts = {
    store,
    definitions,
    holdSecrets: async (_tx, _mountId, names) => names,
    queue: { pendingCount: async () => 0 },
    log: silentLog,
    changed: async (dirty) => {
      queued.push(...dirty);
      return [];
    },
    ...changes,
  };
  return { parts, queued };
}

const start = (action: BatchAction, filter: RecordFilter = {}, more: object = {}) =>
  createBatch(store, {
    namespaceId: 'root',
    action,
    filter,
    updatedBefore: null,
    limit: null,
    rate: null,
    total: many,
    ...more,
  });
const read = async (id: string, namespaceId = 'root') => {
  const batch = await loadBatch(store, namespaceId, id);
  if (batch === undefined) throw new Error('no such batch');
  return batch;
};
/** How many associations of the root namespace have each generation. */
const generations = async (namespaceId = 'root') => {
  const { rows } = await sql<{ generation: number; count: number }>`
    select a.generation, count(*)::int as count from associations a join destinations d on d.id = a.destination_id
     where d.namespace_id = ${namespaceId} group by a.generation order by a.generation`.execute(store.db);
  return Object.fromEntries(rows.map(({ generation, count }) => [generation, count]));
};
const finishAll = (status: string, kind: string | null = null) =>
  sql`update associations set observed_generation = generation, status = ${status},
             error = case when ${kind}::text is not null then jsonb_build_object('kind', ${kind}::text, 'message', 'm') end
       where generation > observed_generation`.execute(store.db);

describe('a batch', () => {
  test('changes every matching association once, page by page, and reports what became of each', async () => {
    await failed(many);
    await insertRecords(store, [{ destination: 'two', secret: 'x', status: 'SYNCED' }]);
    const { parts, queued } = open();
    const id = await start('replay', { type: 'cloud-a-sm' });
    expect(await continueBatches(parts, never)).toBe(many);
    expect(await read(id)).toMatchObject({ state: 'settling', marked: many, settled: 0 });
    expect(await generations()).toEqual({ 1: 1, 2: many });
    expect(queued).toHaveLength(many);

    await sql`delete from associations where secret_name = 's0' and generation = 2`.execute(store.db);
    await sql`update associations set observed_generation = generation, status = 'CLIENT_SIDE_ERROR',
              error = '{"kind":"permission","message":"m"}' where secret_name in ('s1', 's2')`.execute(store.db);
    await sql`update associations set generation = 3, observed_generation = 2 where secret_name = 's3'`.execute(
      store.db,
    );
    await sql`update associations set observed_generation = generation, status = 'SYNCED'
               where generation = 2 and secret_name not in ('s1', 's2')`.execute(store.db);
    await continueBatches(parts, never);
    const unsettled = await read(id);
    expect(unsettled).toMatchObject({ state: 'settling', settled: many - 1 });
    await finishAll('SYNCED');
    await continueBatches(parts, never);
    const outcomes = { synced: many - 3, unsynced: 1, failed: { permission: 2 } };
    expect(await read(id)).toMatchObject({ state: 'done', settled: many, outcomes, finished_at: expect.any(Date) });
    expect((await sql`select 1 from sync_batch_items`.execute(store.db)).rows).toEqual([]);
  });

  test('is continued after a process died between two pages, and by two sweeps at once', async () => {
    await failed(many);
    let pages = 0;
    const dying = open({
      changed: async () => {
        pages += 1;
        if (pages === 2) throw new AppError('unavailable', 'the process has died');
        return [];
      },
    });
    const id = await start('force', {}, { total: many });
    await expect(continueBatches(dying.parts, never)).rejects.toThrow('the process has died');
    expect((await read(id)).state).toBe('running');
    const [one, other] = [open(), open()];
    await Promise.all([continueBatches(one.parts, never), continueBatches(other.parts, never)]);
    await continueBatches(one.parts, never);
    expect(await generations()).toEqual({ 2: many });
    expect(await read(id)).toMatchObject({ state: 'settling', marked: many });
    const { rows } = await sql`select 1 from associations where generation = 2 and forced_generation <> 2`.execute(
      store.db,
    );
    expect(rows).toEqual([]);
    expect((await sql`select 1 from sync_batch_items`.execute(store.db)).rows).toHaveLength(many);
  });

  test('waits while the queue is full, and takes only the room that there is', async () => {
    await failed(300);
    let pending = 999_900;
    const { parts } = open({ queue: { pendingCount: async () => pending } });
    const id = await start('replay', { name: 'one' });
    const page = await changePage(open().parts, id, 100);
    expect(page?.dirty).toHaveLength(100);
    pending = 1_000_000;
    expect(await continueBatches(parts, never)).toBe(0);
    expect(await read(id)).toMatchObject({ state: 'running', marked: 100 });
    pending = 0;
    expect(await continueBatches(parts, never)).toBe(200);
    expect(await generations()).toEqual({ 2: 300 });
  });

  test('keeps its limit and its rate', async () => {
    await failed(50);
    const { parts } = open();
    const limited = await start('force', {}, { limit: 7 });
    await continueBatches(parts, never);
    expect(await read(limited)).toMatchObject({ state: 'settling', marked: 7 });
    const slow = await start('force', {}, { rate: 4 });
    const changedAfter = async (seconds: number) => {
      await sql`update sync_batches set stepped_at = clock_timestamp() - ${seconds}::float8 * interval '1 second'
                 where id = ${slow}::uuid`.execute(store.db);
      return (await changePage(open().parts, slow, 1_000))?.dirty.length;
    };
    expect(await changedAfter(0.1)).toBe(0);
    expect(await changedAfter(2.1)).toBe(8);
    expect(await changedAfter(3_600)).toBe(40);
  });

  test('takes only associations that have not changed for long enough', async () => {
    await failed(20);
    await sql`update associations set updated_at = now() - interval '2 hours' where secret_name in ('s1', 's2')`.execute(
      store.db,
    );
    await start('replay', {}, { updatedBefore: new Date(Date.now() - 3_600_000) });
    expect(await continueBatches(open().parts, never)).toBe(2);
  });

  test('changes nothing further once it is canceled, and still counts the outcomes so far', async () => {
    await failed(many);
    const { parts } = open();
    const id = await start('replay', { kinds: ['timeout'] });
    await changePage(open().parts, id, pageSize);
    await cancelBatch(store, 'team', id);
    expect((await read(id)).state).toBe('running');
    await cancelBatch(store, 'root', id);
    await continueBatches(parts, never);
    expect(await generations()).toEqual({ 1: many - pageSize, 2: pageSize });
    await finishAll('UNSYNCED');
    await continueBatches(parts, never);
    expect(await read(id)).toMatchObject({ state: 'canceled', marked: pageSize, outcomes: { unsynced: pageSize } });
  });

  test('of a namespace leaves the others alone, and namespaces take turns', async () => {
    await failed(many);
    const stop = new AbortController();
    let pages = 0;
    const { parts } = open({
      changed: async () => {
        pages += 1;
        if (pages === 2) stop.abort();
        return [];
      },
    });
    for (let count = 0; count < 3; count += 1) await start('force');
    const team = await createBatch(store, {
      ...{
        namespaceId: 'team',
        action: 'force',
        filter: {},
        updatedBefore: null,
        limit: null,
        rate: null,
        total: many,
      },
    });
    await continueBatches(parts, stop.signal);
    const { turned_at, created_at } = await read(team, 'team');
    expect(turned_at.getTime()).toBeGreaterThan(created_at.getTime());
    await continueBatches(parts, never);
    expect(await generations('team')).toEqual({ 2: many });
    expect(await generations()).toEqual({ 4: many });
    expect(await loadBatch(store, 'root', team)).toBeUndefined();
    expect((await listBatches(store, 'team')).map(({ id }) => id)).toEqual([team]);
  });

  test('that removes ends only the associations that were recorded, once', async () => {
    await failed(30);
    const { rows } = await sql<{ id: string }>`select a.id::text as id from associations a join destinations d
      on d.id = a.destination_id where d.namespace_id = 'root' order by a.id limit 20`.execute(store.db);
    const associations = rows.map(({ id }) => id);
    await sql`delete from associations where id = ${associations[3]}::bigint`.execute(store.db);
    const id = await start('remove', {}, { associations, total: 20 });
    const { parts } = open();
    await continueBatches(parts, never);
    expect(await read(id)).toMatchObject({ state: 'settling', marked: 19 });
    const absent = await sql<{
      generation: number;
    }>`select generation from associations where desired = 'absent'`.execute(store.db);
    expect(absent.rows.map(({ generation }) => generation)).toEqual(Array.from({ length: 19 }, () => 2));
    await sql`delete from associations where desired = 'absent'`.execute(store.db);
    await continueBatches(parts, never);
    expect(await read(id)).toMatchObject({ state: 'done', outcomes: { unsynced: 19 } });
  });

  test('that fails unexpectedly is ended, so that it does not stop the others', async () => {
    await failed(5);
    const broken = await start('force');
    const { parts } = open({ changed: () => Promise.reject(new TypeError('unexpected')) });
    await continueBatches(parts, never);
    expect(await read(broken)).toMatchObject({ state: 'failed', error: expect.stringContaining('log of the sweep') });
  });

  test('without any match is done', async () => {
    const id = await start('force', {}, { total: 0 });
    await continueBatches(open().parts, never);
    expect(await read(id)).toMatchObject({ state: 'done', marked: 0 });
  });
});

test('ended batches are removed after a week, and the oldest when there are too many', async () => {
  await failed(3);
  const old = await start('force');
  const recent = await start('force');
  for (const id of [old, recent]) await changePage(open().parts, id, 1_000);
  await sql`update sync_batches set state = 'canceled', finished_at = now() - interval '8 days' where id = ${old}::uuid`.execute(
    store.db,
  );
  await sql`
    insert into sync_batches (id, namespace_id, action, filter, state, total, association_max, finished_at)
    select gen_random_uuid(), 'team', 'force', '{}', 'done', 0, 0, now() - i * interval '1 minute' from generate_series(1, 205) i`.execute(
    store.db,
  );
  await pruneBatches(store);
  expect(await loadBatch(store, 'root', old)).toBeUndefined();
  expect(await loadBatch(store, 'root', recent)).toBeDefined();
  expect(await listBatches(store, 'team')).toHaveLength(200);
});

test('a namespace has at most 100 open batches', async () => {
  for (let count = 0; count < 100; count += 1) await start('force');
  await expect(start('force')).rejects.toThrow('100 batches are open in this namespace');
});
