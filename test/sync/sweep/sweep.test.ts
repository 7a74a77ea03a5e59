import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { silentLog } from '#core/log/log.ts';
import type { Store } from '#store/store.ts';
import { dirtyAfter } from '#sync/sweep/requeue.ts';
import { newSweepState, sweep } from '#sync/sweep/sweep.ts';
import { operation, testQueue } from '../../queue/queues.ts';
import { testStore } from '../../store/stores.ts';
import { ending } from '../../support/services.ts';

const capacity = 3;
/** More than a page of the sweep. */
const many = 1_200;

async function backlog({ db }: Store): Promise<void> {
  await sql`update sync_config set queue_capacity = ${capacity}`.execute(db);
  await sql`
    with d as (
      insert into destinations (type, name, connection, granularity, custom_tags, network, adopt, updated_at)
      values ('cloud-a-sm', 'x', '', 'secret-path', '{}', '{}', false, now()) returning id
    )
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template,
                              adopt, desired, status, records, updated_at)
    select d.id, 'cloud-a-sm', gen_random_uuid(), 'secret/', 'kv_1', 'app', 'secret-path', '', false, 'present', 'PENDING',
           '[]', now()
      from d cross join generate_series(1, ${many}::int)`.execute(db);
}

const rules = {
  describeSecrets: async () => [],
  describeBelow: async () => [],
  readPath: () => undefined,
  rightsOf: async () => undefined,
};
const associate = { definitions: [], holdSecrets: async () => [], rules };

test('one round checks many pending operations, so that a long list is checked twice in time', async () => {
  const store = ending(await testStore());
  const queue = await testQueue();
  for (let id = 1; id <= many; id += 1) await queue.reserve(operation(id), many);
  let now = Date.now();
  const clock = { now: () => new Date(now) };
  const forgetful = await testQueue({ prefix: queue.prefix, clock });
  const parts = {
    store,
    queue: forgetful,
    log: silentLog,
    changed: async () => [],
    expire: async () => [],
    ...associate,
  };
  const state = newSweepState();
  await sweep(parts, state);
  now += 10_000;
  await sweep(parts, state);
  expect(await queue.pendingCount()).toBe(0);
});

test('capacity reserved for late operations whose jobs were lost is used in the end', async () => {
  const store = ending(await testStore());
  const queue = await testQueue();
  await backlog(store);
  const last = (await dirtyAfter(store, '0', many)).slice(-capacity);
  for (const operation of last) await queue.reserve(operation, capacity);
  const parts = { store, queue, log: silentLog, changed: async () => [], expire: async () => [], ...associate };
  const state = newSweepState();
  for (let round = 0; round < 3; round += 1) await sweep(parts, state);
  expect(await queue.missing(last)).toEqual([]);
});
