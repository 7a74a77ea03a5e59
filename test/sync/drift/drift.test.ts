import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DestinationFailure } from '#destinations/contract.ts';
import { openGate as openRedisGate } from '#queue/gate/gate.ts';
import type { OpenStore } from '#store/open.ts';
import { countDrift, oldestLook } from '#sync/drift/counts.ts';
import { lookForDrift } from '#sync/drift/drift.ts';
import { commonStart } from '#sync/drift/objects.ts';
import { lookShare } from '#sync/drift/rate.ts';
import { leaveTurn, takeTurn } from '#sync/drift/turns.ts';
import { testStore } from '../../store/stores.ts';
import { testRedis } from '../../support/services.ts';
import { driftOf, insertSynced, partsWith, startPlace } from './world.ts';

let store: OpenStore;
beforeAll(async () => {
  store = await testStore();
  for (const id of ['one', 'other'])
    await sql`insert into namespaces (id, uuid, path, custom_metadata) values (${id}, gen_random_uuid(), ${`${id}/`}, '{}')`.execute(
      store.db,
    );
});
afterAll(() => store.close());

const calm = new AbortController().signal;
const namesOf = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}/s${n + 1}`);

/** Others of this file are not due. */
const alone = () => sql`update destination_drift set due_at = now() + interval '1 day'`.execute(store.db);

test('10,000 objects take one call a page, and each difference one look', async () => {
  await alone();
  const id = await insertSynced(store, 'large', 10_000);
  const place = startPlace(namesOf('large', 10_000));
  await lookForDrift(partsWith(store, place.driver), calm);
  expect(place.calls).toMatchObject({ list: 100, inspect: 0 });
  expect(await driftOf(store, id)).toEqual({});
  const change = (name: string, seen: object) => {
    const before = place.objects.get(name);
    if (before !== undefined) place.objects.set(name, { ...before, ...seen });
  };
  place.objects.delete('large/s7');
  change('large/s8', { remoteVersion: 'v2' });
  change('large/s9', { tags: {} });
  change('large/s10', { mark: 'b'.repeat(32) });
  await alone();
  await sql`update destination_drift set due_at = now() where destination_id = ${id}::bigint`.execute(store.db);
  await lookForDrift(partsWith(store, place.driver), calm);
  expect(place.calls).toMatchObject({ list: 200, inspect: 4 });
  expect(await driftOf(store, id)).toEqual({ s7: 'deleted', s8: 'changed', s9: 'tags', s10: 'foreign' });
});

test('a page that is out of date is no drift: a look decides', async () => {
  await alone();
  const id = await insertSynced(store, 'stale', 10);
  const place = startPlace(namesOf('stale', 10));
  const list = place.driver.list;
  const driver = {
    ...place.driver,
    list: async (...asked: Parameters<NonNullable<typeof list>>) => {
      const page = await list?.(...asked);
      if (typeof page !== 'object') throw new Error('it has a page');
      return { ...page, objects: page.objects.slice(1).map((one) => ({ ...one, remoteVersion: 'an earlier one' })) };
    },
  };
  await lookForDrift(partsWith(store, driver), calm);
  expect(await driftOf(store, id)).toEqual({});
  expect(place.calls.inspect).toBe(10);
});

test('an object of a sync that is pending, in flight, unconfirmed, failed or fresh is not judged', async () => {
  await alone();
  const id = await insertSynced(store, 'busy', 6);
  const of = (n: number) => sql`destination_id = ${id}::bigint and secret_name = ${`s${n}`}`;
  await sql`update associations set generation = 2, status = 'PENDING' where ${of(1)}`.execute(store.db);
  await sql`update associations set claimed_until = now() + interval '1 minute', claimed_by = 'x' where ${of(2)}`.execute(
    store.db,
  );
  await sql`update associations set unconfirmed_at = now() where ${of(3)}`.execute(store.db);
  await sql`update associations set status = 'CLIENT_SIDE_ERROR' where ${of(4)}`.execute(store.db);
  await sql`update sync_objects set written_at = now() where destination_id = ${id}::bigint and name_key = 'busy/s5'`.execute(
    store.db,
  );
  const place = startPlace([]);
  await lookForDrift(partsWith(store, place.driver), calm);
  expect(await driftOf(store, id)).toEqual({ s6: 'deleted' });
  expect(place.calls.inspect).toBe(1);
});

test('a repair queues a sync for each difference that is not foreign, once', async () => {
  await alone();
  const id = await insertSynced(store, 'mended', 5);
  await sql`update destinations set on_drift = 'repair' where id = ${id}::bigint`.execute(store.db);
  const place = startPlace(namesOf('mended', 4));
  place.objects.set('mended/s4', { remoteVersion: 'v1', mark: 'b'.repeat(32), tags: {} });
  const queued: string[] = [];
  const parts = partsWith(store, place.driver, {
    changed: async (dirty) => {
      queued.push(...dirty.map((one) => one.id));
      return [];
    },
  });
  await lookForDrift(parts, calm);
  expect(await driftOf(store, id)).toEqual({ s4: 'foreign', s5: 'deleted' });
  expect(queued).toHaveLength(1);
  const verifying = await sql<{ secret_name: string }>`
    select secret_name from associations where destination_id = ${id}::bigint and verify_generation > observed_generation`.execute(
    store.db,
  );
  expect(verifying.rows).toEqual([{ secret_name: 's5' }]);
  await sql`update destination_drift set due_at = now() where destination_id = ${id}::bigint`.execute(store.db);
  await lookForDrift(parts, calm);
  expect(queued).toHaveLength(1);
});

test.each([
  ['paused', { disabled: true }, {}],
  ['off', { on_drift: 'off' }, {}],
  ['no longer to be repaired', { on_drift: 'report' }, { s1: 'deleted' }],
])('what a look finds after the destination is %s repairs nothing', async (name, changes, drift) => {
  await alone();
  const id = await insertSynced(store, `late/${name}`, 1);
  const change = (to: object) => store.db.updateTable('destinations').set(to).where('id', '=', id).execute();
  await change({ on_drift: 'repair' });
  const place = startPlace([]);
  const inspect = async (...[asked, signal]: Parameters<typeof place.driver.inspect>) => {
    const seen = await place.driver.inspect(asked, signal);
    await change(changes);
    return seen;
  };
  const queued: string[] = [];
  const parts = partsWith(
    store,
    { ...place.driver, inspect },
    {
      changed: async (dirty) => {
        queued.push(...dirty.map((one) => one.id));
        return [];
      },
    },
  );
  await lookForDrift(parts, calm);
  expect(place.calls.inspect).toBe(1);
  expect(await driftOf(store, id)).toEqual(drift);
  expect(queued).toEqual([]);
});

test('of two workers, one looks at a destination', async () => {
  await alone();
  await insertSynced(store, 'shared', 500);
  const place = startPlace(namesOf('shared', 500));
  await Promise.all([1, 2, 3, 4].map(() => lookForDrift(partsWith(store, place.driver), calm)));
  expect(place.calls).toEqual({ list: 5, inspect: 0, atOnceMax: 1 });
});

test('a look that another process left goes on where it was, and one whose lease was taken over stops', async () => {
  await alone();
  const id = await insertSynced(store, 'left', 500);
  const place = startPlace(namesOf('left', 500));
  const list = place.driver.list;
  let pages = 0;
  const driver = {
    ...place.driver,
    list: async (...asked: Parameters<NonNullable<typeof list>>) => {
      pages += 1;
      // Another process has it now.
      if (pages === 2) await sql`update destination_drift set leased_by = 'another'`.execute(store.db);
      return (await list?.(...asked)) ?? 'unknown';
    },
  };
  await lookForDrift(partsWith(store, driver), calm);
  expect(pages).toBe(2);
  await sql`update destination_drift set leased_until = now() where destination_id = ${id}::bigint`.execute(store.db);
  await lookForDrift(partsWith(store, place.driver), calm);
  expect(place.calls.list).toBe(2 + 4);
});

test('namespaces take turns, however many destinations one has that are due', async () => {
  await alone();
  for (const name of ['a', 'b', 'c', 'd']) await insertSynced(store, `many-${name}`, 1, 'one');
  await insertSynced(store, 'single', 1, 'other');
  const order: string[] = [];
  for (let turns = 0; turns < 6; turns += 1) {
    const turn = await takeTurn(store, 'cloud-a-sm');
    if (turn === undefined) break;
    order.push(turn.name);
    // It is due again, behind the others of its namespace.
    await leaveTurn(store, turn, { afterMs: 0, error: null });
  }
  expect(order).toEqual(['many-a', 'single', 'many-b', 'single', 'many-c', 'single']);
});

test('looks that ended are counted, and one that others interrupt is not', async () => {
  await alone();
  const ended: string[] = [];
  const looked = (result: string) => ended.push(result);
  await insertSynced(store, 'counted', 5);
  await lookForDrift(partsWith(store, startPlace(namesOf('counted', 5)).driver, { looked }), calm);
  expect(ended).toEqual(['complete']);
  await insertSynced(store, 'sick', 5);
  const sick = { ...startPlace([]).driver, list: () => Promise.reject(new DestinationFailure('unavailable', 'away')) };
  await lookForDrift(partsWith(store, sick, { looked }), calm);
  expect(ended).toEqual(['complete', 'failed']);
});

test('drift is counted by type and kind, and the oldest look by type, but not of destinations that no one looks at', async () => {
  await alone();
  await sql`update associations set drift = null`.execute(store.db);
  await sql`update destination_drift set checked_at = now(), began_at = null`.execute(store.db);
  const id = await insertSynced(store, 'gone', 3);
  await lookForDrift(partsWith(store, startPlace(['gone/s1']).driver), calm);
  expect(await countDrift(store)).toEqual([{ type: 'cloud-a-sm', kind: 'deleted', count: 2 }]);
  const age = async () => (await oldestLook(store)).get('cloud-a-sm');
  await sql`update destination_drift set checked_at = now() - interval '1 day' where destination_id = ${id}::bigint`.execute(
    store.db,
  );
  expect(await age()).toBeGreaterThanOrEqual(86_400);
  await sql`update destinations set on_drift = 'off' where id = ${id}::bigint`.execute(store.db);
  expect(await age()).toBeLessThan(86_400);
});

test('nothing is taken while the sync, or the destination, is paused', async () => {
  await alone();
  const id = await insertSynced(store, 'paused', 1);
  await sql`update destinations set disabled = true where id = ${id}::bigint`.execute(store.db);
  expect(await takeTurn(store, 'cloud-a-sm')).toBeUndefined();
  await sql`update destinations set disabled = false where id = ${id}::bigint`.execute(store.db);
  await sql`update sync_config set disabled = true`.execute(store.db);
  expect(await takeTurn(store, 'cloud-a-sm')).toBeUndefined();
  await sql`update sync_config set disabled = false`.execute(store.db);
  expect((await takeTurn(store, 'cloud-a-sm'))?.destination_id).toBe(id);
});

test('looks of all processes take at most their share of the rate of an account', async () => {
  await alone();
  const place = startPlace([]);
  for (const name of ['x', 'y', 'z']) await insertSynced(store, `rate-${name}`, 40);
  const { url, prefix } = testRedis();
  const gates = [1, 2, 3].map(() => openRedisGate({ redisUrl: url, prefix }));
  const parts = gates.map((gate) => {
    const made = partsWith(store, place.driver, { gate });
    return { ...made, definition: { ...made.definition, rate: { callsPerSecond: 40, burst: 40 } } };
  });
  const begun = performance.now();
  const end = AbortSignal.timeout(3_000);
  await Promise.all(parts.map((one) => lookForDrift(one, end)));
  const seconds = (performance.now() - begun) / 1_000;
  await Promise.all(gates.map((gate) => gate.close()));
  const calls = place.calls.list + place.calls.inspect;
  expect(calls).toBeGreaterThan(5);
  expect(calls).toBeLessThanOrEqual(40 * lookShare * (2 + seconds) + 3);
});

test('the common start of all names is that of the first and the last', () => {
  expect([commonStart('a/b/1', 'a/b/9'), commonStart('a', 'b'), commonStart('a', 'a')]).toEqual(['a/b/', '', 'a']);
});
