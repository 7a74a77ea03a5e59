import { expect, test } from 'vitest';
import { openStore } from '#store/open.ts';
import { markDirty, ofSecret } from '#store/outbox.ts';
import { ending, testDatabase } from '../support/services.ts';
import { storeOptions } from './stores.ts';

const mountId = '11111111-1111-4111-8111-111111111111';

test('marking a secret dirty increments the generation of its present associations, ends their waiting, and returns them', async () => {
  const store = ending(await openStore(storeOptions(await testDatabase())));
  const destination = await store.db
    .insertInto('destinations')
    .values({
      type: 'fake',
      name: 'd',
      connection: Buffer.of(1),
      granularity: 'secret-path',
      template: null,
      custom_tags: '{}',
      network: '{}',
      adopt: false,
      updated_at: new Date(),
      purge_initiated_at: null,
      purge_error: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const association = (secretName: string, desired: 'present' | 'absent', nextAttemptAt: Date | null) => ({
    destination_id: destination.id,
    type: 'fake',
    mount_id: mountId,
    mount_path: 'kv/',
    mount_accessor: 'kv_1',
    secret_name: secretName,
    granularity: 'secret-path',
    template: 't',
    adopt: false,
    desired,
    generation: 3,
    observed_generation: 3,
    status: 'SYNCED',
    error: 'null',
    records: '[]',
    attempts: 4,
    next_attempt_at: nextAttemptAt,
    updated_at: new Date(0),
    dirty_since: null,
    claimed_by: null,
    claimed_until: null,
  });
  const rows = [
    association('a', 'present', new Date(Date.now() + 3_600_000)),
    association('b', 'present', null),
    association('c', 'absent', null),
  ];
  await store.db.insertInto('associations').values(rows).execute();

  const mark = (name: string) =>
    store.transaction(async (tx) => (await markDirty(ofSecret(mountId, name)).execute(tx)).rows);
  const dirty = { type: 'fake', destination_id: destination.id, generation: 4 };
  expect(await mark('a')).toEqual([{ ...dirty, id: '1', waiting: true }]);
  // The first notification may not have reached the queue.
  expect(await mark('a')).toEqual([{ ...dirty, id: '1', generation: 5, waiting: true }]);
  expect(await mark('b')).toEqual([{ ...dirty, id: '2', waiting: false }]);
  expect(await mark('c')).toEqual([]);
  const [first, second, third] = await store.db.selectFrom('associations').selectAll().orderBy('id').execute();
  expect(first).toMatchObject({ generation: 5, observed_generation: 3, status: 'PENDING', attempts: 0 });
  expect(Number(first?.next_attempt_at)).toBeLessThan(Date.now() + 60_000);
  expect(second?.next_attempt_at).toBeNull();
  expect(first?.dirty_since).toBeInstanceOf(Date);
  expect(third).toMatchObject({ generation: 3, status: 'SYNCED', attempts: 4, dirty_since: null });
});
