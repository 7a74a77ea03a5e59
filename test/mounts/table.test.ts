import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLog } from '#core/log/log.ts';
import { kvV2 } from '#engines/kv/v2/index.ts';
import { continueRemovals } from '#mounts/removal/continue.ts';
import { openMountTable } from '#mounts/table.ts';
import { associate, calling, dirtyIds, engineParts, fixed, mounted, settle } from '../engines/setup.ts';

let it: Awaited<ReturnType<typeof engineParts>>;
beforeAll(async () => {
  it = await engineParts();
});
afterAll(() => it.store.close());

const never = new AbortController().signal;
const otherProcess = () => openMountTable({ ...it, fixed });
const revision = async (): Promise<number> => {
  const query = it.store.db.selectFrom('revisions').select('revision').where('name', '=', 'mounts');
  return (await query.executeTakeFirstOrThrow()).revision;
};
const pathOf = async (table: typeof it.mounts, path: string) => (await table.resolve(path))?.path;

test('a path belongs to the longest mount that holds it', async () => {
  await mounted(it.mounts, 'team/kv/', null);
  await mounted(it.mounts, 'team-2/', null);
  expect(await pathOf(it.mounts, 'team/kv/data/a')).toBe('team/kv/');
  expect(await pathOf(it.mounts, 'team/kv')).toBe('team/kv/');
  expect(await pathOf(it.mounts, 'team/kv/')).toBe('team/kv/');
  expect(await pathOf(it.mounts, 'team/kvx')).toBeUndefined();
  expect(await pathOf(it.mounts, 'team')).toBeUndefined();
  expect(await pathOf(it.mounts, 'sys/health')).toBe('sys/');
  expect(await pathOf(it.mounts, 'auth/token/create')).toBe('auth/token/');
  expect(await pathOf(it.mounts, 'auth/other/login')).toBeUndefined();
  expect(await pathOf(it.mounts, '')).toBeUndefined();
});

test.each([
  ['a/b/', 'a/b/', 'path is already in use at a/b/'],
  ['c/d/', 'c/d/e/', 'existing mount at c/d/'],
  ['f/g/', 'f/', 'existing mount at f/g/'],
  ['h/', 'sys/', 'path is already in use at sys/'],
  ['i/', 'auth/', 'existing mount at auth/token/'],
])('with a mount at %s, a mount at %s is refused', async (first, second, message) => {
  await mounted(it.mounts, first, null);
  await expect(it.mounts.enable({ path: second, type: 'kv' })).rejects.toThrow(message);
});

test('of two concurrent requests to enable the same path, one is refused', async () => {
  const outcomes = await Promise.allSettled([
    it.mounts.enable({ path: 'twice/', type: 'kv' }),
    otherProcess().enable({ path: 'twice/sub/', type: 'kv' }),
  ]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test('an accessor starts with the type, and with auth_ for auth methods', async () => {
  const secret = await mounted(it.mounts, 'named/', null);
  expect(secret.accessor).toMatch(/^kv_[0-9a-f]{8}$/);
  await it.mounts.enable({ path: 'auth/people/', type: 'userpass' });
  expect((await it.mounts.find('auth/people/'))?.accessor).toMatch(/^auth_userpass_[0-9a-f]{8}$/);
  expect((await it.mounts.find('sys/'))?.accessor).toBe((await otherProcess().find('sys/'))?.accessor);
});

test('another process finds a new mount because nothing else holds the path', async () => {
  const other = otherProcess();
  expect(await pathOf(other, 'late/a')).toBeUndefined();
  await mounted(it.mounts, 'late/', null);
  expect(await pathOf(other, 'late/a')).toBe('late/');
});

test('another process that has seen the newer revision drops removed and changed mounts', async () => {
  await mounted(it.mounts, 'leaving/', { version: '1' });
  const other = otherProcess();
  expect(await pathOf(other, 'leaving/a')).toBe('leaving/');
  await it.mounts.tune('leaving/', (mount) => ({ ...mount, options: { version: '2' } }));
  expect((await other.resolve('leaving/a'))?.options).toEqual({ version: '1' });
  other.seenRevision(await revision());
  expect((await other.resolve('leaving/a'))?.options).toEqual({ version: '2' });
  await it.mounts.disable('leaving/', it.parts.changed, never);
  other.seenRevision(await revision());
  expect(await pathOf(other, 'leaving/a')).toBeUndefined();
});

test('a refused change does not raise the revision', async () => {
  const before = await revision();
  await expect(it.mounts.enable({ path: 'sys/', type: 'kv' })).rejects.toThrow();
  expect(await it.mounts.tune('none/', (mount) => mount)).toBe(false);
  await it.mounts.disable('none/', it.parts.changed, never);
  expect(await revision()).toBeLessThanOrEqual(before + 1);
});

test('a removal deletes all secrets and marks their associations dirty, and may be repeated', async () => {
  const mount = await mounted(it.mounts, 'big/', { version: '2' });
  const engine = kvV2.open(it.parts);
  const { current } = kvV2.synced.open(it.parts);
  const call = calling(engine, mount);
  const names = Array.from({ length: 1_234 }, (_, index) => `s${index}`);
  await Promise.all(names.map((name) => call('write', `data/${name}`, { data: { name } })));
  const ids = [await associate(it.store, mount, 's0'), await associate(it.store, mount, 's1233')];
  it.notified.length = 0;
  await it.mounts.disable('big/', it.parts.changed, never);
  await it.mounts.disable('big/', it.parts.changed, never);
  expect(await dirtyIds(it.store)).toEqual(ids);
  expect(it.notified.map(({ id }) => id)).toEqual(ids);
  expect(await current(mount.id, 's0')).toBeUndefined();
  const left = await it.store.db.selectFrom('kv_versions').selectAll().where('mount_id', '=', mount.id).execute();
  expect(left).toEqual([]);
  expect(await it.mounts.find('big/')).toBeUndefined();
  await settle(it.store);
});

test('an interrupted removal is listed, and its path is free at once', async () => {
  const mount = await mounted(it.mounts, 'stopped/', { version: '2' });
  const call = calling(kvV2.open(it.parts), mount);
  await call('write', 'data/a', { data: { old: true } });
  const id = await associate(it.store, mount, 'a');
  const [warning] = await it.mounts.disable('stopped/', it.parts.changed, AbortSignal.abort());
  expect(warning).toMatch(/removed in the background, and sys\/removals/);
  expect(await pathOf(it.mounts, 'stopped/a')).toBeUndefined();
  expect(await it.mounts.removals()).toMatchObject([{ path: 'stopped/', type: 'kv', uuid: mount.id }]);
  const again = await mounted(it.mounts, 'stopped/', { version: '2' });
  expect(again.id).not.toBe(mount.id);
  expect(await calling(kvV2.open(it.parts), again)('read', 'data/a').catch(() => undefined)).toBeUndefined();
  expect(await dirtyIds(it.store)).toEqual([]);
  // As another process, the sweep, does.
  const removal = { store: it.store, engines: [kvV2], changed: it.parts.changed, log: silentLog };
  expect(await continueRemovals(removal, never)).toBe(1);
  expect(await dirtyIds(it.store)).toEqual([id]);
  expect(await it.mounts.removals()).toEqual([]);
  expect(await pathOf(it.mounts, 'stopped/a')).toBe('stopped/');
  await settle(it.store);
});

test('processes that empty a mount at the same time repeat no step, and leave nothing behind', async () => {
  const mount = await mounted(it.mounts, 'shared/', { version: '2' });
  await manySecrets(mount.id, 5_500);
  await it.mounts.disable('shared/', it.parts.changed, AbortSignal.abort());
  const removal = { store: it.store, engines: [kvV2], changed: it.parts.changed, log: silentLog };
  while ((await it.mounts.removals()).length > 0) {
    await Promise.all([0, 1, 2].map(() => continueRemovals(removal, never)));
  }
  const left = await it.store.db.selectFrom('kv_secrets').selectAll().where('mount_id', '=', mount.id).execute();
  expect(left).toEqual([]);
});

test('a mount with many secrets does not delay the removal of another', async () => {
  const big = await mounted(it.mounts, 'much/', { version: '2' });
  await manySecrets(big.id, 8_500);
  await mounted(it.mounts, 'little/', { version: '2' });
  for (const path of ['much/', 'little/']) await it.mounts.disable(path, it.parts.changed, AbortSignal.abort());
  const stop = new AbortController();
  const changed = async () => [];
  const engines = [{ ...kvV2, removeSecrets: stopping(stop, 4) }];
  await continueRemovals({ store: it.store, engines, changed, log: silentLog }, stop.signal);
  expect((await it.mounts.removals()).map(({ path }) => path)).toEqual(['much/']);
  await continueRemovals({ store: it.store, engines: [kvV2], changed, log: silentLog }, never);
  expect(await it.mounts.removals()).toEqual([]);
});

/** The function of KV, with a limit on the number of steps. */
function stopping(stop: AbortController, steps: number): NonNullable<typeof kvV2.removeSecrets> {
  let made = 0;
  return async (tx, mountId, limit) => {
    made += 1;
    if (made >= steps) stop.abort();
    return (await kvV2.removeSecrets?.(tx, mountId, limit)) ?? [];
  };
}

async function manySecrets(mountId: string, count: number): Promise<void> {
  await sql`
    insert into kv_secrets (mount_id, path, current_version, oldest_version, created_time, updated_time, max_versions,
                            cas_required, delete_version_after)
    select ${mountId}::uuid, 's' || i, 0, 0, now(), now(), 0, false, 0 from generate_series(1, ${count}::int) as i`.execute(
    it.store.db,
  );
}

test('writes during the removal of their mount leave nothing behind', async () => {
  const mount = await mounted(it.mounts, 'racing/', { version: '2' });
  const call = calling(kvV2.open(it.parts), mount);
  const writes = Array.from({ length: 40 }, (_, n) =>
    call('write', `data/s${n % 10}`, { data: { n } }).then(
      () => 'written',
      (error) => error.kind,
    ),
  );
  await it.mounts.disable('racing/', it.parts.changed, never);
  for (const outcome of await Promise.all(writes)) expect(['written', 'not-found']).toContain(outcome);
  const left = await it.store.db.selectFrom('kv_secrets').selectAll().where('mount_id', '=', mount.id).execute();
  expect(left).toEqual([]);
});

test('a moved mount keeps its secrets, accessor and id, and its associations are pushed again', async () => {
  const mount = await mounted(it.mounts, 'old/', { version: '2' });
  const engine = kvV2.open(it.parts);
  await calling(engine, mount)('write', 'data/a', { data: { n: 1 } });
  const id = await associate(it.store, mount, 'a');
  await it.mounts.move('old/', 'new/place/', it.parts.changed);
  const moved = await it.mounts.resolve('new/place/data/a');
  expect(moved).toMatchObject({ id: mount.id, accessor: mount.accessor, path: 'new/place/' });
  expect(await pathOf(it.mounts, 'old/a')).toBeUndefined();
  expect((await calling(engine, moved ?? mount)('read', 'data/a'))?.data).toMatchObject({ data: { n: 1 } });
  expect(await dirtyIds(it.store)).toEqual([id]);
  await settle(it.store);
  await expect(it.mounts.move('old/', 'x/', it.parts.changed)).rejects.toThrow('no mount at old/');
  await expect(it.mounts.move('new/place/', 'sys/', it.parts.changed)).rejects.toThrow('already in use');
});
