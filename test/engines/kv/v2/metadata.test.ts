import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { calling } from '../../setup.ts';
import { kv } from './setup.ts';

let it: Awaited<ReturnType<typeof kv>>;
beforeAll(async () => {
  it = await kv();
});
afterAll(() => it.store.close());

const now = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const byRoot = (operation: string) => ({ actor: 'root', client_id: rootClient, operation });
/** The author that servers of the API family record for every root token without an entity. */
const rootClient = '0DHqvq2D77kL2/JTPSZkTMJbkFVmUu0TzMi0jiXcFy8=';
const keys = async (folder: string): Promise<readonly string[]> =>
  z.object({ keys: z.array(z.string()) }).parse((await it.call('list', `metadata/${folder}`))?.data).keys;

describe('metadata', () => {
  test('shows the settings and the versions', async () => {
    await it.call('write', 'metadata/a', { delete_version_after: '3h25m19s', custom_metadata: { owner: 'ops' } });
    await it.call('write', 'data/a', { data: {} });
    const reply = await it.call('read', 'metadata/a');
    expect(reply?.data).toEqual({
      current_version: 1,
      oldest_version: 0,
      created_time: now,
      updated_time: now,
      max_versions: 0,
      cas_required: false,
      delete_version_after: '3h25m19s',
      custom_metadata: { owner: 'ops' },
      last_updated_by: byRoot('update'),
      versions: {
        '1': {
          created_time: now,
          deletion_time: now,
          destroyed: false,
          created_by: byRoot('update'),
          deleted_by: null,
        },
      },
    });
    const { created_time, deletion_time } = Object(reply?.data).versions['1'];
    expect(Date.parse(deletion_time) - Date.parse(created_time)).toBe((3 * 3_600 + 25 * 60 + 19) * 1_000);
    expect((await it.call('read', 'data/a'))?.data).toMatchObject({ metadata: { custom_metadata: { owner: 'ops' } } });
    expect(await it.call('read', 'metadata/none')).toBeUndefined();
  });

  test('a write replaces the given fields and keeps the others; null resets a field', async () => {
    await it.call('write', 'metadata/b', { max_versions: 5, cas_required: true, custom_metadata: { a: '1' } });
    await it.call('write', 'metadata/b', { custom_metadata: { b: '2' } });
    expect((await it.call('read', 'metadata/b'))?.data).toMatchObject({
      max_versions: 5,
      cas_required: true,
      custom_metadata: { b: '2' },
    });
    await it.call('write', 'metadata/b', { custom_metadata: {}, max_versions: null });
    expect((await it.call('read', 'metadata/b'))?.data).toMatchObject({ max_versions: 0, custom_metadata: null });
  });

  test('a patch merges custom metadata; null resets a field', async () => {
    await it.call('write', 'metadata/c', { max_versions: 5, custom_metadata: { a: '1', b: '2' } });
    await it.call('patch', 'metadata/c', { custom_metadata: { a: null, c: '3' }, cas_required: true });
    expect((await it.call('read', 'metadata/c'))?.data).toMatchObject({
      max_versions: 5,
      cas_required: true,
      custom_metadata: { b: '2', c: '3' },
    });
    await it.call('patch', 'metadata/c', { custom_metadata: null, max_versions: null });
    expect((await it.call('read', 'metadata/c'))?.data).toMatchObject({ max_versions: 0, custom_metadata: null });
  });

  test('a patch of a missing secret is 404, and a write without settings creates nothing', async () => {
    await expect(it.call('patch', 'metadata/none', { max_versions: 1 })).rejects.toMatchObject({ kind: 'not-found' });
    expect(await it.call('write', 'metadata/none', {})).toBeUndefined();
    expect(await it.call('read', 'metadata/none')).toBeUndefined();
  });

  test('invalid settings are refused', async () => {
    for (const data of [{ max_versions: -1 }, { delete_version_after: '-1h' }, { custom_metadata: { a: '' } }]) {
      await expect(it.call('write', 'metadata/bad', data)).rejects.toMatchObject({ kind: 'bad-request' });
    }
    await expect(it.call('write', 'metadata/', { max_versions: 1 })).rejects.toThrow('missing path');
    expect(await it.call('read', 'metadata/bad')).toBeUndefined();
  });

  test('switching off a setting that the mount requires causes a warning', async () => {
    const warnings: string[] = [];
    const call = calling(it.engine, it.mount, { warn: (message) => warnings.push(message) });
    await call('write', 'metadata/w', { cas_required: false });
    expect(warnings).toEqual([]);
    await it.call('write', 'config', { cas_required: true });
    await call('write', 'metadata/w', { cas_required: false });
    expect(warnings).toHaveLength(1);
    await it.call('write', 'config', { cas_required: false });
  });

  test('deletion removes all versions, and a new secret begins at 1', async () => {
    await it.call('write', 'data/d', { data: {} });
    await it.call('write', 'data/d', { data: {} });
    await it.call('delete', 'metadata/d');
    expect(await it.call('read', 'data/d')).toBeUndefined();
    expect((await it.call('write', 'data/d', { data: {} }))?.data).toMatchObject({ version: 1 });
  });
});

describe('kept versions', () => {
  test.each([
    [0, 0, 10],
    [0, 3, 3],
    [4, 0, 4],
    [4, 3, 4],
    [1, 0, 1],
  ])('with %i for the secret and %i for the mount, %i are kept', async (ofSecret, ofMount, kept) => {
    const path = `kept/${ofSecret}-${ofMount}`;
    await it.call('write', 'config', { max_versions: ofMount });
    await it.call('write', `metadata/${path}`, { max_versions: ofSecret });
    for (let n = 1; n <= 12; n += 1) await it.call('write', `data/${path}`, { data: { n } });
    await it.call('write', 'config', { max_versions: 0 });
    const data = z
      .looseObject({ versions: z.record(z.string(), z.unknown()) })
      .parse((await it.call('read', `metadata/${path}`))?.data);
    expect(data).toMatchObject({ current_version: 12, oldest_version: 13 - kept });
    expect(Object.keys(data.versions)).toEqual(Array.from({ length: kept }, (_, index) => String(13 - kept + index)));
    expect(await it.call('read', `data/${path}`, { version: String(12 - kept) })).toBeUndefined();
    await it.call('write', `undelete/${path}`, { versions: [12 - kept] });
    expect(await it.call('read', `data/${path}`, { version: String(12 - kept) })).toBeUndefined();
  });
});

describe('listing', () => {
  test('names are sorted by bytes; each folder appears once and ends in a slash', async () => {
    for (const path of ['l/b/1', 'l/b/2', 'l/a', 'l/a/x', 'l/a!', 'l/Z', 'l/ü/1', 'l/🔑', 'lx', 'l0']) {
      await it.call('write', `data/${path}`, { data: {} });
    }
    expect(await keys('l/')).toEqual(['Z', 'a', 'a!', 'a/', 'b/', 'ü/', '🔑']);
    expect(await keys('l')).toEqual(await keys('l/'));
    expect(await keys('l/ü/')).toEqual(['1']);
    expect(await keys('l/b')).toEqual(['1', '2']);
    expect(await keys('')).toContain('l/');
    expect(await keys('l/a!')).toEqual([]);
    expect(await keys('nothing')).toEqual([]);
  });

  test('a folder can be listed in pages', async () => {
    for (const path of ['parts/a', 'parts/a/x', 'parts/b', 'parts/c/y'])
      await it.call('write', `data/${path}`, { data: {} });
    const part = async (page: object) => (await it.call('list', 'metadata/parts', { ...page }))?.data;
    expect(await part({ limit: 2 })).toEqual({ keys: ['a', 'a/'] });
    expect(await part({ limit: '2', after: 'a/' })).toEqual({ keys: ['b', 'c/'] });
    expect(await part({ limit: 2, after: 'c/' })).toEqual({ keys: [] });
    expect(await part({ after: 'b' })).toEqual({ keys: ['c/'] });
  });

  test('a secret whose versions are all deleted is still listed', async () => {
    await it.call('write', 'data/m/deleted', { data: {} });
    await it.call('delete', 'data/m/deleted');
    expect(await keys('m')).toEqual(['deleted']);
  });

  test('a hundred thousand names are listed completely and in order', async () => {
    await sql`insert into kv_secrets (mount_id, path, current_version, oldest_version, created_time, updated_time, max_versions,
                                      cas_required, delete_version_after)
      select ${it.mount.id}::uuid, 'big/' || lpad(n::text, 6, '0'), 1, 0, now(), now(), 0, false, 0
        from generate_series(1, 100000) n`.execute(it.store.db);
    const names = await keys('big');
    expect(names).toHaveLength(100_000);
    expect(names).toEqual(names.toSorted());
    expect(await keys('')).toContain('big/');
  });
});

describe('config', () => {
  test('reads what was written, and omitted fields keep their values', async () => {
    expect((await it.call('read', 'config'))?.data).toEqual({
      max_versions: 0,
      cas_required: false,
      delete_version_after: '0s',
    });
    await it.call('write', 'config', { max_versions: '7', delete_version_after: '30m' });
    await it.call('write', 'config', { cas_required: 'true' });
    expect((await it.call('read', 'config'))?.data).toEqual({
      max_versions: 7,
      cas_required: true,
      delete_version_after: '30m0s',
    });
    await it.call('write', 'config', { delete_version_after: '-10m', cas_required: false, max_versions: 0 });
    expect((await it.call('read', 'config'))?.data).toMatchObject({ delete_version_after: '-1s' });
    await expect(it.call('write', 'config', { delete_version_after: 'soon' })).rejects.toThrow('delete_version_after');
  });
});

describe('subkeys', () => {
  test('shows the structure without the values', async () => {
    await it.call('write', 'data/s', { data: { a: 'secret', b: { c: [1], d: {} } } });
    const whole = await it.call('read', 'subkeys/s');
    expect(whole?.data).toMatchObject({ subkeys: { a: null, b: { c: null, d: null } }, metadata: { version: 1 } });
    expect((await it.call('read', 'subkeys/s', { depth: '1' }))?.data).toMatchObject({ subkeys: { a: null, b: null } });
    await it.call('delete', 'data/s');
    expect(await it.call('read', 'subkeys/s')).toMatchObject({ status: 404, data: { subkeys: null } });
    expect(await it.call('read', 'subkeys/none')).toBeUndefined();
  });
});

test('an unknown path of version 2 is unsupported, and the engine adds a warning', async () => {
  await expect(it.call('read', 'foo')).rejects.toMatchObject({ kind: 'unsupported-path' });
  expect(it.engine.unsupportedPathWarning?.('write')).toMatch(
    /^Invalid path for a versioned K\/V secrets engine.*'vault kv put'/,
  );
});
