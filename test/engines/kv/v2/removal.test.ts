import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kvV2 } from '#engines/kv/v2/index.ts';
import { expireVersions } from '#engines/kv/v2/versions/expire.ts';
import { associate, calling, dirtyIds, letPass, settle } from '../../setup.ts';
import { kv } from './setup.ts';

let it: Awaited<ReturnType<typeof kv>>;
beforeAll(async () => {
  it = await kv();
});
afterAll(() => it.store.close());

async function write(path: string, count: number): Promise<void> {
  for (let n = 1; n <= count; n += 1) await it.call('write', `data/${path}`, { data: { n } });
}

test('a deleted version is read as 404 with its metadata, and undelete restores it', async () => {
  await write('a', 2);
  expect(await it.call('delete', 'data/a')).toBeUndefined();
  const deleted = await it.call('read', 'data/a');
  expect(deleted).toMatchObject({
    status: 404,
    data: { data: null, metadata: { version: 2, deletion_time: expect.stringMatching(/^\d{4}-/), destroyed: false } },
  });
  expect((await it.call('read', 'data/a', { version: '1' }))?.data).toMatchObject({ data: { n: 1 } });
  expect(await it.call('write', 'undelete/a', { versions: [2] })).toBeUndefined();
  expect((await it.call('read', 'data/a'))?.data).toMatchObject({ data: { n: 2 }, metadata: { deletion_time: '' } });
});

test('versions are deleted and destroyed by number', async () => {
  await write('b', 3);
  await it.call('write', 'delete/b', { versions: '1,2' });
  await it.call('write', 'destroy/b', { versions: ['2'] });
  await it.call('write', 'undelete/b', { versions: [1, 2] });
  expect((await it.call('read', 'data/b', { version: '1' }))?.data).toMatchObject({ data: { n: 1 } });
  expect(await it.call('read', 'data/b', { version: '2' })).toMatchObject({
    status: 404,
    data: { data: null, metadata: { version: 2, destroyed: true } },
  });
  const { rows } = await sql`select data from kv_versions where path = 'b' and version = 2`.execute(it.store.db);
  expect(rows).toEqual([{ data: null }]);
});

test('missing secrets and versions are skipped', async () => {
  for (const verb of ['delete', 'undelete', 'destroy']) {
    expect(await it.call('write', `${verb}/nothing`, { versions: [1] })).toBeUndefined();
    await write('c', 1);
    expect(await it.call('write', `${verb}/c`, { versions: [9] })).toBeUndefined();
  }
  expect(await it.call('delete', 'data/nothing')).toBeUndefined();
  expect(await it.call('delete', 'metadata/nothing')).toBeUndefined();
});

test('version numbers must be given', async () => {
  await expect(it.call('write', 'delete/c', {})).rejects.toThrow('No version number provided');
  await expect(it.call('write', 'undelete/c', { versions: [] })).rejects.toThrow('No version number provided');
  await expect(it.call('write', 'destroy/c', {})).rejects.toThrow('no version number provided');
});

test.each(['delete', 'undelete', 'destroy'])(
  '%s names the field and the limit for a number that is too high',
  async (verb) => {
    for (const versions of [[-1, 0, 99_999_999_999], ['2147483648'], '99999999999'])
      await expect(it.call('write', `${verb}/c`, { versions })).rejects.toThrow(
        /field "versions": a version number may be at most 2147483647 \(at \d\)/,
      );
    expect(await it.call('write', `${verb}/c`, { versions: [-1, 0, 2_147_483_647, -99_999_999_999] })).toBeUndefined();
  },
);

/** Seconds from the creation of a version to its deletion. */
const secondsTo = (metadata: unknown): number => {
  const { created_time, deletion_time } = Object(metadata);
  return (Date.parse(deletion_time) - Date.parse(created_time)) / 1_000;
};

test('a version expires after the shorter of the two times', async () => {
  await it.call('write', 'config', { delete_version_after: '1h' });
  await it.call('write', 'metadata/timed', { delete_version_after: '10m' });
  const reply = await it.call('write', 'data/timed', { data: {} });
  expect(secondsTo(reply?.data)).toBe(600);
  await it.call('write', 'data/mount', { data: {} });
  expect(secondsTo(Object((await it.call('read', 'data/mount'))?.data).metadata)).toBe(3_600);
  await letPass(it.store, 10 * 60_000);
  expect(await it.call('read', 'data/timed')).toMatchObject({ status: 404 });
  expect(await it.current('timed')).toBeUndefined();
  await it.call('write', 'undelete/timed', { versions: [1] });
  const undeleted = secondsTo(Object((await it.call('read', 'data/timed'))?.data).metadata);
  expect(undeleted).toBeGreaterThanOrEqual(1_200);
  expect(undeleted).toBeLessThan(1_260);
  await it.call('write', 'config', { delete_version_after: '-1s' });
  const never = await it.call('write', 'data/timed', { data: {} });
  expect(never?.data).toMatchObject({ deletion_time: '' });
  await it.call('write', 'config', { delete_version_after: 0 });
});

test('the sweep reports each expiry once', async () => {
  await it.call('write', 'metadata/expiring', { delete_version_after: '10s' });
  await write('expiring', 2);
  await write('staying', 1);
  const id = await associate(it.store, it.mount, 'expiring');
  await associate(it.store, it.mount, 'staying');
  expect(await expireVersions(it.store, 10)).toEqual([]);
  await letPass(it.store, 10_000);
  const dirty = await expireVersions(it.store, 10_000);
  expect(dirty).toMatchObject([{ id, type: 'fake', generation: 2, waiting: false }]);
  expect(await expireVersions(it.store, 10)).toEqual([]);
  expect(await dirtyIds(it.store)).toEqual([id]);
  await settle(it.store);
});

test('the sweep expires no more versions than its limit', async () => {
  const paths = ['s1', 's2', 's3'];
  const ids: string[] = [];
  for (const path of paths) {
    await it.call('write', `metadata/${path}`, { delete_version_after: '10s' });
    await write(path, 1);
    ids.push(await associate(it.store, it.mount, path));
  }
  await letPass(it.store, 10_000);
  const rounds = [2, 2, 2].map(() => () => expireVersions(it.store, 2));
  const notified: string[] = [];
  for (const round of rounds) {
    const dirty = await round();
    expect(dirty.length).toBeLessThanOrEqual(2);
    notified.push(...dirty.map(({ id }) => id));
  }
  expect(notified.toSorted()).toEqual(ids.toSorted());
  await settle(it.store);
});

const changes = [
  ['write', 'data', { data: { n: 9 } }],
  ['patch', 'data', { data: { n: 9 } }],
  ['delete', 'data', {}],
  ['write', 'delete', { versions: [1] }],
  ['write', 'undelete', { versions: [1] }],
  ['write', 'destroy', { versions: [1] }],
  ['delete', 'metadata', {}],
] as const;

test.each(changes)(
  '%s of %s marks the associations of this secret dirty and reports them',
  async (verb, folder, data) => {
    const path = `dirty/${verb}/${folder}`;
    await write(path, 2);
    if (folder === 'undelete') await it.call('write', `delete/${path}`, { versions: [1] });
    await write(`${path}/other`, 1);
    const ids = [await associate(it.store, it.mount, path), await associate(it.store, it.mount, path)];
    await associate(it.store, it.mount, `${path}/other`);
    it.notified.length = 0;
    await it.call(verb, `${folder}/${path}`, data);
    expect(await dirtyIds(it.store)).toEqual(ids);
    expect(it.notified.map(({ id, generation }) => [id, generation])).toEqual(ids.map((id) => [id, 2]));
    await settle(it.store);
  },
);

test('operations without a change mark nothing dirty', async () => {
  await write('calm', 1);
  await associate(it.store, it.mount, 'calm');
  await it.call('write', 'data/calm', { data: {}, options: { cas: 7 } }).catch(() => undefined);
  await it.call('write', 'delete/calm', { versions: [9] });
  await it.call('write', 'metadata/calm', { max_versions: 5 });
  expect(await dirtyIds(it.store)).toEqual([]);
});

test('the sync reads the newest version that is neither deleted nor destroyed', async () => {
  await write('chosen', 3);
  expect(await it.current('chosen')).toEqual({ version: 3, json: '{"n":3}' });
  await it.call('delete', 'data/chosen');
  expect(await it.current('chosen')).toEqual({ version: 2, json: '{"n":2}' });
  await it.call('write', 'destroy/chosen', { versions: [2] });
  expect(await it.current('chosen')).toEqual({ version: 1, json: '{"n":1}' });
  await it.call('write', 'delete/chosen', { versions: [1] });
  expect(await it.current('chosen')).toBeUndefined();
  expect(await it.current('nothing')).toBeUndefined();
});

test('warnings of the queue reach the caller', async () => {
  const engine = kvV2.open({ ...it.parts, changed: async () => ['the queue is full'] });
  const call = calling(engine, it.mount);
  await write('warned', 1);
  await associate(it.store, it.mount, 'warned');
  expect(await call('write', 'data/warned', { data: {} })).toMatchObject({
    data: { version: 2 },
    warnings: ['the queue is full'],
  });
  expect(await call('delete', 'data/warned')).toEqual({ warnings: ['the queue is full'] });
  await settle(it.store);
});

test('the sync does not read a deleted version after the clock of the database was set back', async () => {
  await write('skewed', 1);
  await it.call('delete', 'data/skewed');
  await letPass(it.store, -60_000);
  expect(await it.current('skewed')).toBeUndefined();
});

test('the sync does not read a version whose expiry was noticed before the clock was set back', async () => {
  await it.call('write', 'metadata/skewed-sweep', { delete_version_after: '10s' });
  await write('skewed-sweep', 1);
  expect(await it.current('skewed-sweep')).toMatchObject({ version: 1 });
  await letPass(it.store, 10_000);
  await expireVersions(it.store, 10);
  await letPass(it.store, -10_000);
  expect(await it.current('skewed-sweep')).toBeUndefined();
});
