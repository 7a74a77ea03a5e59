import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { silentLog } from '#core/log/log.ts';
import { definitions } from '#destinations/index.ts';
import type { OpenStore } from '#store/open.ts';
import { type BatchParts, continueBatches } from '#sync/batches/continue.ts';
import { pageSize } from '#sync/batches/page.ts';
import { cancelBatch, createBatch, loadBatch, pruneBatches } from '#sync/batches/store.ts';
import { testStore } from '../../store/stores.ts';
import { insertDestinations } from '../records/many.ts';

/** More than two pages. */
const many = pageSize * 2 + 300;
const never = new AbortController().signal;

let store: OpenStore;
let target: { readonly destinationId: string; readonly mountId: string; readonly adopt: boolean };
beforeAll(async () => {
  store = await testStore();
  return () => store.close();
});
beforeEach(async () => {
  for (const table of ['sync_batches', 'sync_batch_secrets', 'associations', 'destinations'])
    await sql`delete from ${sql.table(table)}`.execute(store.db);
  await sql`delete from mounts where path = 'shop/'`.execute(store.db);
  await insertDestinations(store, ['one']);
  const { rows } = await sql<{ destinationId: string; mountId: string }>`
    with m as (
      insert into mounts (path, type, accessor, description, config, local, seal_wrap)
      values ('shop/', 'kv', 'kv_9', '', '{}', false, false) returning id
    )
    select d.id::text as "destinationId", m.id::text as "mountId" from m cross join destinations d`.execute(store.db);
  target = { destinationId: '', mountId: '', adopt: false, ...rows[0] };
});

function open(changes: Partial<BatchParts> = {}): BatchParts {
  return {
    store,
    definitions,
    holdSecrets: async (_tx, _mountId, names) => names,
    queue: { pendingCount: async () => 0 },
    log: silentLog,
    changed: async () => [],
    ...changes,
  };
}

const secretNames = Array.from({ length: many }, (_, index) => `app/${String(index).padStart(4, '0')}`);
const start = () =>
  createBatch(store, {
    namespaceId: 'root',
    action: 'set',
    filter: { type: 'cloud-a-sm', name: 'one', mount: 'shop/' },
    updatedBefore: null,
    limit: null,
    rate: null,
    total: many,
    target: { ...target, secretNames },
  });
const read = (id: string) => loadBatch(store, 'root', id);
/** How many associations there are, by generation. */
async function generations(): Promise<Readonly<Record<number, number>>> {
  const { rows } = await sql<{ generation: number; count: number }>`
    select generation, count(*)::int as count from associations group by generation`.execute(store.db);
  return Object.fromEntries(rows.map(({ generation, count }) => [generation, count]));
}
const secretsLeft = async (): Promise<number> =>
  (await sql<{ count: number }>`select count(*)::int as count from sync_batch_secrets`.execute(store.db)).rows[0]
    ?.count ?? 0;

describe('a batch that associates secrets', () => {
  test('associates each once, also with two sweeps at a time and after a process that died', async () => {
    const id = await start();
    let pages = 0;
    const dying = open({
      holdSecrets: async (_tx, _mountId, names) => {
        pages += 1;
        if (pages === 2) throw Object.assign(new Error('the process has died'), { code: 'ECONNRESET' });
        return names;
      },
    });
    await continueBatches(dying, never).catch(() => {});
    await sql`update sync_batches set state = 'running', error = null, finished_at = null`.execute(store.db);
    await Promise.all([continueBatches(open(), never), continueBatches(open(), never)]);
    await continueBatches(open(), never);
    expect(await generations()).toEqual({ 1: many });
    expect(await read(id)).toMatchObject({ state: 'settling', marked: many });
    expect(await secretsLeft()).toBe(0);
  });

  test('gives a known association the template, the granularity and the adoption of now, and wants its copy again', async () => {
    await start();
    await continueBatches(open(), never);
    await sql`update associations set desired = 'absent', observed_generation = generation, status = 'UNSYNCED'`.execute(
      store.db,
    );
    await sql`update destinations set template = 'changed', granularity = 'secret-key'`.execute(store.db);
    target = { ...target, adopt: true };
    await start();
    await continueBatches(open(), never);
    const { rows } = await sql`
      select distinct desired, template, granularity, adopt, generation, forced_generation, status from associations`.execute(
      store.db,
    );
    expect(rows).toEqual([
      {
        desired: 'present',
        template: 'changed',
        granularity: 'secret-key',
        adopt: true,
        generation: 2,
        forced_generation: 2,
        status: 'PENDING',
      },
    ]);
  });

  test('leaves out secrets that no longer exist', async () => {
    const id = await start();
    await continueBatches(open({ holdSecrets: async (_tx, _mountId, names) => names.slice(1) }), never);
    expect((await read(id))?.marked).toBe(many - 3);
    expect(await secretsLeft()).toBe(0);
  });

  test.each([
    ['the destination is being purged', () => sql`update destinations set purge_initiated_at = now()`],
    ['the destination was deleted', () => sql`delete from destinations`],
    ['the mount was moved', () => sql`update mounts set path = 'moved/' where path = 'shop/'`],
  ])('fails when %s, and associates nothing', async (_why, change) => {
    const id = await start();
    await change().execute(store.db);
    await continueBatches(open(), never);
    expect(await read(id)).toMatchObject({
      state: 'failed',
      marked: 0,
      error: expect.stringContaining('deleted or moved'),
    });
    expect(await generations()).toEqual({});
    await sql`delete from mounts where path = 'moved/'`.execute(store.db);
  });

  test('that is canceled leaves the rest, and is removed with its secrets after a week', async () => {
    const id = await start();
    await cancelBatch(store, 'root', id);
    await continueBatches(open(), never);
    expect([await generations(), await secretsLeft()]).toEqual([{}, many]);
    await sql`update sync_batches set finished_at = now() - interval '8 days'`.execute(store.db);
    await pruneBatches(store);
    expect([await read(id), await secretsLeft()]).toEqual([undefined, 0]);
  });
});
