import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { AppError } from '#core/errors.ts';
import type { OpenStore } from '#store/open.ts';
import { pendingByDestination } from '#sync/samples/pending.ts';
import { takeSample } from '#sync/samples/take.ts';
import { namedMax } from '#sync/samples/take-statement.ts';
import { testStore } from '../../store/stores.ts';
import { insertDestinations, insertRecords } from '../records/many.ts';

let store: OpenStore;
beforeEach(async () => {
  store = await testStore();
  return () => store.close();
});

const take = (pending: () => Promise<number> = async () => 7) =>
  takeSample({ store, queue: { pendingCount: pending } }, 100);

interface Stored {
  readonly name: string;
  readonly pending: number;
  readonly oldest_seconds: number | null;
  readonly done: number;
  readonly failed: number;
  readonly errors: Readonly<Record<string, number>>;
}

const stored = async (namespaceId = 'root'): Promise<readonly Stored[]> =>
  (
    await sql<Stored>`
      select name, pending, oldest_seconds, done, failed, errors from sync_samples
       where namespace_id = ${namespaceId} order by slot, name`.execute(store.db)
  ).rows;
const slots = async () =>
  (
    await sql<{ pending: number | null }>`select pending, capacity from sync_sample_slots order by slot`.execute(
      store.db,
    )
  ).rows;

/** Makes room for another sample, as if the slots before had passed. */
const pass = (seconds: number) =>
  sql`with s as (update sync_sample_slots set slot = slot - ${seconds}::int * interval '1 second')
      update sync_samples set slot = slot - ${seconds}::int * interval '1 second'`.execute(store.db);

const count = (name: string, done: number, errors: Readonly<Record<string, number>> = {}) => {
  const failed = Object.values(errors).reduce((sum, one) => sum + one, 0);
  return sql`
    insert into destination_results as r (destination_id, done, failed, errors)
    select id, ${done}::int, ${failed}::int, ${JSON.stringify(errors)}::jsonb from destinations where name = ${name}
        on conflict (destination_id) do update set done = excluded.done, failed = excluded.failed, errors = excluded.errors`.execute(
    store.db,
  );
};

test('a sample has the pending changes and the attempts since the sample before', async () => {
  await insertDestinations(store, ['a', 'b', 'idle']);
  await insertRecords(store, [
    { destination: 'a', secret: 'one', status: 'PENDING' },
    { destination: 'a', secret: 'two', status: 'PENDING' },
    { destination: 'a', secret: 'three' },
  ]);
  await sql`update associations set dirty_since = now() - interval '90 s' where secret_name = 'one'`.execute(store.db);
  await count('b', 5, { timeout: 2, permission: 1 });
  expect(await take()).toMatchObject({ taken: true, leftMs: expect.any(Number) });
  expect(await stored()).toEqual([
    { name: 'a', pending: 2, oldest_seconds: expect.closeTo(90, -1), done: 0, failed: 0, errors: {} },
    { name: 'b', pending: 0, oldest_seconds: null, done: 5, failed: 3, errors: { timeout: 2, permission: 1 } },
  ]);
  expect(await slots()).toEqual([{ pending: 7, capacity: 100 }]);
  await sql`delete from associations`.execute(store.db);
  await pass(10);
  await take();
  expect(await stored()).toHaveLength(2);
  expect(await slots()).toHaveLength(2);
});

test('of sweeps at the same time one takes the sample, and no attempt is counted twice', async () => {
  await insertDestinations(store, ['a']);
  await count('a', 5);
  const taken = await Promise.all(Array.from({ length: 8 }, () => take()));
  const slotsTaken = (await slots()).length;
  expect(taken.filter((one) => one.taken)).toHaveLength(slotsTaken);
  expect((await stored()).map(({ done }) => done)).toEqual([5]);
  await count('a', 3);
  await Promise.all([take(), take()]);
  const { rows } = await sql<{ done: number }>`select done from destination_results`.execute(store.db);
  const sampled = (await stored()).reduce((sum, { done }) => sum + done, 0);
  expect(sampled + Number(rows[0]?.done)).toBe(8);
});

test('a sample that cannot be stored leaves the counts for the next one', async () => {
  await insertDestinations(store, ['a']);
  await count('a', 5);
  await sql`alter table sync_samples add constraint refused check (false)`.execute(store.db);
  await expect(take()).rejects.toThrow('refused');
  await sql`alter table sync_samples drop constraint refused`.execute(store.db);
  await take();
  expect((await stored()).map(({ done }) => done)).toEqual([5]);
});

test('the sample of a time without Redis has no number of the queue', async () => {
  await take(() => Promise.reject(new AppError('unavailable', 'Redis is unavailable')));
  expect(await slots()).toEqual([{ pending: null, capacity: 100 }]);
});

test('samples of yesterday are deleted, in steps', async () => {
  await insertDestinations(store, ['a']);
  await count('a', 5);
  await take();
  await sql`insert into sync_sample_slots select to_timestamp(n * 10), 0, 0 from generate_series(1, 150) n`.execute(
    store.db,
  );
  await sql`insert into sync_samples
            select 'root', to_timestamp(n * 10), 'cloud-a-sm', 'a', 0, null, 1, 0, '{}' from generate_series(1, 150) n`.execute(
    store.db,
  );
  for (const left of [51, 1]) {
    await pass(10);
    await take();
    expect(await stored()).toHaveLength(left);
  }
  expect(await slots()).toHaveLength(3);
  await pass(86_400);
  await take();
  expect([(await stored()).length, (await slots()).length]).toEqual([0, 1]);
});

test('spans and sums of yesterday are deleted, in steps, also those that began without a sample', async () => {
  for (const table of ['sync_sample_spans', 'sync_sample_sums'])
    await sql`
      insert into ${sql.table(table)} (namespace_id, ${sql.raw(table === 'sync_sample_sums' ? 'seconds, ' : '')}slot, type, name, pending, done, failed, arrived, errors)
      select 'root', ${sql.raw(table === 'sync_sample_sums' ? '10, ' : '')}now() - interval '24 hours' - n * ${table === 'sync_sample_sums' ? 10 : 300}::int * interval '1 s',
             'cloud-a-sm', 'a', 0, 1, 0, 0, '{}' from generate_series(0, 150) n`.execute(store.db);
  const left = async () =>
    (
      await sql<{ spans: number; sums: number }>`
        select (select count(*)::int from sync_sample_spans) as spans, (select count(*)::int from sync_sample_sums) as sums`.execute(
        store.db,
      )
    ).rows[0];
  await take();
  expect(await left()).toEqual({ spans: 51, sums: 51 });
  await sql`delete from sync_sample_slots`.execute(store.db);
  await take();
  // The last span has samples that are not yet so old.
  expect(await left()).toEqual({ spans: 1, sums: 0 });
});

test('a sample names the busiest destinations of a namespace and sums up the others by type', async () => {
  const names = Array.from({ length: namedMax + 5 }, (_, index) => `d${index}`);
  await insertDestinations(store, names);
  for (const [index, name] of names.entries()) await count(name, 100 - index, { timeout: 1, network: 2 });
  await take();
  const rows = await stored();
  expect(rows).toHaveLength(namedMax + 1);
  expect(rows[0]).toEqual({
    name: '',
    pending: 0,
    oldest_seconds: null,
    done: 80 + 79 + 78 + 77 + 76,
    failed: 15,
    errors: { timeout: 5, network: 10 },
  });
});

test('every namespace has its own samples', async () => {
  await sql`insert into namespaces (id, path, uuid, updated_at) values ('team', 'team/', gen_random_uuid(), now())`
    .execute(store.db)
    .catch(() => sql`select 1`);
  await insertDestinations(store, ['a']);
  await sql`update destinations set namespace_id = 'team'`.execute(store.db);
  await count('a', 5);
  await take();
  expect([await stored(), (await stored('team')).map(({ done }) => done)]).toEqual([[], [5]]);
});

test('very many pending changes are counted exactly, and their age too', async () => {
  const all = 20_000;
  await insertDestinations(store, ['a', 'b']);
  await sql`
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template, adopt,
                              desired, status, generation, observed_generation, records, updated_at, dirty_since)
    select d.id, d.type, gen_random_uuid(), 'kv/', 'kv_1', n::text, 'secret-path', 't', false, 'present', 'PENDING', 1, 0, '[]', now(),
           now() - n * interval '1 s'
      from generate_series(1, ${all}::int) n join destinations d on d.name = case when n % 4 = 0 then 'b' else 'a' end`.execute(
    store.db,
  );
  const found = await pendingByDestination(store);
  expect(found.map(({ pending }) => pending)).toEqual([(all * 3) / 4, all / 4]);
  for (const { oldest_seconds } of found) expect(oldest_seconds).toBeCloseTo(all, -2);
});
