import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sealVersion } from '#engines/kv/shared/sealing.ts';
import { insertVersions } from '#engines/kv/v2/write/batch.ts';
import { associate, dirtyIds, mounted, settle } from '../../setup.ts';
import { kv, untilLockWait } from './setup.ts';

let it: Awaited<ReturnType<typeof kv>>;
beforeAll(async () => {
  it = await kv();
});
afterAll(() => it.store.close());

const by = { create: 'null', update: 'null' };

/** Writes a batch of [path, cas] and returns the version numbers; undefined for refused writes. */
async function batch(writes: readonly (readonly [path: string, cas?: number])[], mountId = it.mount.id) {
  const sealing = writes.map(async ([path, cas]) => {
    const id = randomUUID();
    const data = await sealVersion(it.store.barrier, { mountId, path, id }, { path });
    return { mountId, path, id, data, cas, by };
  });
  const rows = await insertVersions(it.store.db, await Promise.all(sealing));
  return rows.map((row) => row?.version);
}

test('a batch creates new secrets and new versions, each with its own data', async () => {
  await it.call('write', 'data/old', { data: { n: 1 } });
  expect(await batch([['new'], ['old'], ['ünï/"quoted", {braces}\\']])).toEqual([1, 2, 1]);
  for (const path of ['new', 'old', 'ünï/"quoted", {braces}\\']) {
    expect((await it.call('read', `data/${path}`))?.data).toMatchObject({ data: { path } });
  }
});

test('each write of a batch must satisfy its own cas', async () => {
  for (const path of ['c1', 'c2', 'c3', 'c4']) await it.call('write', `data/${path}`, { data: {} });
  await it.call('write', 'metadata/c4', { cas_required: true });
  const writes = [['c1', 1], ['c2', 2], ['c3', 0], ['c4'], ['made', 0], ['missing', 1]] as const;
  expect(await batch(writes)).toEqual([2, undefined, undefined, undefined, 1, undefined]);
});

test('a batch applies the settings of each mount and secret', async () => {
  const strict = await mounted(it.mounts, 'strict/', { version: '2' });
  await it.store.db
    .insertInto('kv_mounts')
    .values({ mount_id: strict.id, max_versions: 2, cas_required: true, delete_version_after: 60 })
    .execute();
  expect(await batch([['a'], ['b', 0]], strict.id)).toEqual([undefined, 1]);
  for (const cas of [1, 2]) expect(await batch([['b', cas], ['c']], strict.id)).toEqual([cas + 1, undefined]);
  const query = it.store.db.selectFrom('kv_versions').selectAll().where('mount_id', '=', strict.id);
  const rows = await query.orderBy('version').execute();
  expect(rows).toMatchObject([
    { path: 'b', version: 2 },
    { path: 'b', version: 3 },
  ]);
  for (const { created_time, deletion_time } of rows) expect(Number(deletion_time) - Number(created_time)).toBe(60_000);
});

test('a batch marks the associations of the written secrets, and returns each writer its own', async () => {
  for (const path of ['d1', 'd2', 'd3']) await it.call('write', `data/${path}`, { data: {} });
  const ids = await Promise.all(['d1', 'd1', 'd2', 'd3'].map((path) => associate(it.store, it.mount, path)));
  const writes = [['d2'], ['d1'], ['d3', 7]] as const;
  const sealing = writes.map(async ([path, cas]) => {
    const location = { mountId: it.mount.id, path, id: randomUUID() };
    return { ...location, data: Buffer.alloc(1), cas, by };
  });
  const rows = await insertVersions(it.store.db, await Promise.all(sealing));
  const notified = rows.map((row) => row?.dirty.map(({ id }) => id).toSorted());
  expect(notified).toEqual([[ids[2]], [ids[0], ids[1]].toSorted(), undefined]);
  expect(await dirtyIds(it.store)).toEqual(ids.slice(0, 3).toSorted((a, b) => Number(a) - Number(b)));
  await settle(it.store);
});

test('a batch waits neither for a locked secret nor for a mount that is being removed', async () => {
  const leaving = await mounted(it.mounts, 'leaving/', { version: '2' });
  await it.call('write', 'data/held', { data: {} });
  await it.store.db.transaction().execute(async (tx) => {
    await sql`select from kv_secrets where path = 'held' for update`.execute(tx);
    await sql`select from mounts where id = ${leaving.id}::uuid for update`.execute(tx);
    expect(await batch([['held'], ['free']])).toEqual([undefined, 1]);
    expect(await batch([['any']], leaving.id)).toEqual([undefined]);
    await expect(batch([['any']], randomUUID())).resolves.toEqual([undefined]);
  });
});

test('a secret that changed while a batch waited is refused, because the batch cannot see the rows that came with the change', async () => {
  await it.call('write', 'data/moved', { data: {} });
  await it.call('write', 'data/still', { data: {} });
  const versions = await it.store.db.transaction().execute(async (tx) => {
    await sql`
      insert into kv_secrets (mount_id, path, current_version, oldest_version, created_time, updated_time, max_versions,
                              cas_required, delete_version_after)
      values (${it.mount.id}::uuid, 'being-made', 0, 0, now(), now(), 0, false, 0)`.execute(tx);
    const waiting = batch([['being-made'], ['moved'], ['still']]);
    await untilLockWait(it.store);
    await it.call('write', 'data/moved', { data: {} });
    return { waiting };
  });
  expect(await versions.waiting).toEqual([undefined, undefined, 2]);
});

test('sixty-four writes of sixty-four kilobytes keep their data', async () => {
  const paths = Array.from({ length: 64 }, (_, n) => `large${n}`);
  const text = 'x'.repeat(65_000);
  await Promise.all(paths.map((path) => it.call('write', `data/${path}`, { data: { path, text } })));
  for (const path of paths)
    expect((await it.call('read', `data/${path}`))?.data).toMatchObject({ data: { path, text } });
});
