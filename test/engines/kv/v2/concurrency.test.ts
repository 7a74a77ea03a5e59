import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { associate, calling, dirtyIds, settle } from '../../setup.ts';
import { kv, untilLockWait } from './setup.ts';

let it: Awaited<ReturnType<typeof kv>>;
beforeAll(async () => {
  it = await kv(20);
});
afterAll(() => it.store.close());

const shownVersions = z.object({ versions: z.record(z.string(), z.object({ deletion_time: z.string() })) });
const fifty = Array.from({ length: 50 }, (_, index) => index);

async function storedVersions(path: string): Promise<readonly number[]> {
  const query = it.store.db.selectFrom('kv_versions').select('version').where('path', '=', path);
  return (await query.orderBy('version').execute()).map(({ version }) => version);
}

test('of fifty concurrent first writes exactly one wins', async () => {
  const writes = fifty.map((n) => it.call('write', 'data/first', { data: { n }, options: { cas: 0 } }));
  const outcomes = await Promise.allSettled(writes);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ kind: 'bad-request' });
  }
  expect(await storedVersions('first')).toEqual([1]);
});

test('of fifty concurrent writes with the same cas exactly one wins', async () => {
  await it.call('write', 'data/next', { data: {} });
  const writes = fifty.map((n) => it.call('write', 'data/next', { data: { n }, options: { cas: 1 } }));
  const outcomes = await Promise.allSettled(writes);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await storedVersions('next')).toEqual([1, 2]);
});

test('concurrent writes get the numbers from 1 without a gap, and only the configured number of versions is kept', async () => {
  const replies = await Promise.all(fifty.map((n) => it.call('write', 'data/counted', { data: { n } })));
  const numbers = replies.map((reply) => z.object({ version: z.number() }).parse(reply?.data).version);
  expect(numbers.toSorted((a, b) => a - b)).toEqual(fifty.map((n) => n + 1));
  expect(await storedVersions('counted')).toEqual([41, 42, 43, 44, 45, 46, 47, 48, 49, 50]);
});

test('racing writes and deletions of the whole secret leave no partial state', async () => {
  for (let round = 0; round < 10; round += 1) {
    await Promise.all([
      ...[1, 2, 3].map((n) => it.call('write', 'data/raced', { data: { n } })),
      it.call('delete', 'metadata/raced'),
      it.call('delete', 'metadata/raced'),
      it.call('write', 'data/raced', { data: {}, options: { cas: 1 } }).catch(() => undefined),
    ]);
    const { rows } = await sql<{ current: number; stored: number }>`
      select s.current_version as current,
             (select count(*)::int from kv_versions v where v.mount_id = s.mount_id and v.path = s.path) as stored
        from kv_secrets s where s.path = 'raced'`.execute(it.store.db);
    for (const { current, stored } of rows) expect(stored).toBe(current);
    const read = await it.call('read', 'data/raced');
    if (rows.length > 0) expect(read?.data).toMatchObject({ metadata: { version: rows[0]?.current } });
    else expect(read).toBeUndefined();
  }
});

test('a write that waits for a secret marks associations that were created meanwhile', async () => {
  await it.call('write', 'data/linked', { data: {} });
  await it.call('write', 'data/other', { data: {} });
  let write: Promise<unknown> = Promise.resolve();
  const id = await it.store.db.transaction().execute(async (tx) => {
    // Like the creation of an association, this locks the row of the secret, so that a write comes before or after it.
    await sql`update kv_secrets set revision = revision + 1 where path = 'linked'`.execute(tx);
    write = it.call('write', 'data/linked', { data: { n: 2 } });
    await untilLockWait(it.store);
    return associate({ ...it.store, db: tx }, it.mount, 'linked');
  });
  await write;
  expect(await dirtyIds(it.store)).toContain(id);
  await settle(it.store);
});

test('a racing delete and write leave the written version readable or both deleted, and never lose the delete', async () => {
  for (let round = 0; round < 10; round += 1) {
    const path = `ordered${round}`;
    await it.call('write', `data/${path}`, { data: { n: 1 } });
    await Promise.all([it.call('write', `data/${path}`, { data: { n: 2 } }), it.call('delete', `data/${path}`)]);
    const metadata = shownVersions.parse((await it.call('read', `metadata/${path}`))?.data);
    const deleted = Object.values(metadata.versions).filter((version) => version.deletion_time !== '');
    expect(deleted).toHaveLength(1);
  }
});

test('a write to a mount that is being removed is refused and leaves nothing behind', async () => {
  await it.mounts.enable({ path: 'short/', type: 'kv', options: { version: '2' } });
  const mount = await it.mounts.find('short/');
  if (mount === undefined) throw new Error('no mount');
  const call = calling(it.engine, mount);
  await call('write', 'data/a', { data: {} });
  await it.mounts.disable('short/', it.parts.changed, new AbortController().signal);
  await expect(call('write', 'data/b', { data: {} })).rejects.toMatchObject({ kind: 'not-found' });
  await expect(call('write', 'metadata/b', { max_versions: 1 })).rejects.toMatchObject({ kind: 'not-found' });
  expect(await call('read', 'data/a')).toBeUndefined();
});
