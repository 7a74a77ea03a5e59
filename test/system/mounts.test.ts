import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { alwaysMounted } from '#mounts/record.ts';
import { openMountTable } from '#mounts/table.ts';
import type { Mount } from '#path/contract/mount.ts';
import { mountRows } from '#system/mounts/index.ts';
import { type Call, type Calling, calling, engineParts, fixed, root } from '../engines/setup.ts';

let it: Awaited<ReturnType<typeof engineParts>>;
let system: Mount;
let call: Call;
const as = (options: Calling): Call => calling({ rows: mountRows(it) }, system, options);

beforeAll(async () => {
  it = await engineParts();
  const found = await it.mounts.find('sys/');
  if (found === undefined) throw new Error('no mount at sys/');
  system = found;
  call = as({});
});
afterAll(() => it.store.close());

describe('enabling', () => {
  test.each([
    ['a', 'kv', undefined, {}],
    ['b', 'kv', { version: '2' }, { version: '2' }],
    ['c', 'kv', { version: 2 }, { version: '2' }],
    ['d', 'kv-v1', undefined, { version: '1' }],
    ['e', 'kv-v2', undefined, { version: '2' }],
    ['f', 'generic', undefined, { version: '1' }],
  ])('at kind/%s, type %s with options %j mounts kv with options %j', async (name, type, options, stored) => {
    const path = `kind/${name}`;
    expect(await call('write', `mounts/${path}`, { type, options })).toBeUndefined();
    expect((await call('read', `mounts/${path}`))?.data).toMatchObject({ type: 'kv', options: stored });
  });

  test('the settings of the request are shown', async () => {
    await call('write', 'mounts/full/', {
      type: 'kv',
      description: 'for tests',
      options: null,
      config: { default_lease_ttl: '1h', max_lease_ttl: 7200, listing_visibility: 'unauth', plugin_name: '' },
    });
    const mount = await it.mounts.find('full/');
    const shown = await call('read', 'mounts/full');
    expect(shown?.flat).toBe(true);
    expect(shown?.data).toEqual({
      type: 'kv',
      description: 'for tests',
      accessor: mount?.accessor,
      uuid: mount?.id,
      local: false,
      seal_wrap: false,
      external_entropy_access: false,
      options: {},
      config: { default_lease_ttl: 3600, max_lease_ttl: 7200, force_no_cache: false, listing_visibility: 'unauth' },
      plugin_version: '',
      running_plugin_version: '',
      running_sha256: '',
      deprecation_status: 'supported',
    });
  });

  test.each([
    ['x', {}, 'backend type must be specified as a string'],
    ['x', { type: 'aws' }, 'plugin not found in the catalog: aws'],
    ['x', { type: 'toString' }, 'plugin not found in the catalog: toString'],
    ['x', { type: 'kv', options: { version: '3' } }, 'invalid version provided'],
    ['sys/x', { type: 'kv' }, 'cannot mount "sys/x/"'],
    ['auth/x', { type: 'kv' }, 'cannot mount "auth/x/"'],
    ['sys', { type: 'kv' }, 'cannot mount "sys/"'],
    ['a//b', { type: 'kv' }, 'cannot mount "a//b/"'],
    ['../b', { type: 'kv' }, 'cannot mount "../b/"'],
    ['a\tb', { type: 'kv' }, 'cannot mount'],
    ['x', { type: 'kv', config: { default_lease_ttl: '2h', max_lease_ttl: '1h' } }, 'greater than given max lease TTL'],
    ['x', { type: 'kv', config: { default_lease_ttl: '33d' } }, 'greater than system max lease TTL of 2764800'],
    ['x', { type: 'kv', config: { default_lease_ttl: 'soon' } }, 'field "config"'],
    ['full', { type: 'kv' }, 'path is already in use at full/'],
    ['full/below', { type: 'kv' }, 'existing mount at full/'],
  ])('mounting at %j with %j is refused: %s', async (path, data, message) => {
    await expect(call('write', `mounts/${path}`, data)).rejects.toThrow(message);
  });
});

describe('showing', () => {
  test('the list contains every secrets engine and no auth method, at the top level too', async () => {
    const reply = await call('read', 'mounts');
    expect(reply?.flat).toBe(true);
    const paths = Object.keys(reply?.data ?? {});
    expect(paths).toContain('sys/');
    expect(paths).toContain('full/');
    expect(paths.filter((path) => path.startsWith('auth/'))).toEqual([]);
  });

  test('a built-in engine is in the list', async () => {
    const always = { path: 'cubbyhole/', description: 'per-token private secret storage' };
    const engines = [
      { type: 'cubbyhole', rows: [], always },
      { type: 'kv', rows: [] },
    ];
    const mounts = openMountTable({ ...it, fixed: alwaysMounted(engines) });
    const reply = await calling({ rows: mountRows({ ...it, mounts }) }, system)('read', 'mounts');
    expect(reply?.data).toMatchObject({ 'cubbyhole/': { type: 'cubbyhole', description: always.description } });
    expect(Object.keys(reply?.data ?? {})).not.toContain('sys/');
  });

  test('an unknown mount is refused', async () => {
    await expect(call('read', 'mounts/none')).rejects.toThrow('No secret engine mount at none/');
    await expect(call('read', 'mounts/auth/none')).rejects.toThrow('No secret engine mount at auth/none/');
  });
});

describe('disabling', () => {
  test('a mount is removed, and a repetition succeeds', async () => {
    await call('write', 'mounts/gone/deep', { type: 'kv' });
    expect(await call('delete', 'mounts/gone/deep')).toBeUndefined();
    expect(await call('delete', 'mounts/gone/deep')).toBeUndefined();
    await expect(call('read', 'mounts/gone/deep')).rejects.toThrow('No secret engine mount');
    await expect(call('delete', 'mounts/sys')).rejects.toThrow('cannot unmount "sys/"');
  });
});

describe('tuning', () => {
  test.each(['tuned', 'nested/tuned'])('settings of %s change, and omitted ones keep their values', async (path) => {
    await call('write', `mounts/${path}`, { type: 'kv', description: 'before', config: { max_lease_ttl: '10h' } });
    const tuning = await call('read', `mounts/${path}/tune`);
    expect(tuning?.flat).toBe(true);
    expect(tuning?.data).toEqual({
      default_lease_ttl: 2_764_800,
      max_lease_ttl: 36_000,
      force_no_cache: false,
      description: 'before',
    });
    expect(
      await call('write', `mounts/${path}/tune`, { default_lease_ttl: '1h', options: { version: '2' } }),
    ).toBeUndefined();
    expect((await call('read', `mounts/${path}/tune`))?.data).toEqual({
      default_lease_ttl: 3600,
      max_lease_ttl: 36_000,
      force_no_cache: false,
      description: 'before',
      options: { version: '2' },
    });
    const downgrade = call('write', `mounts/${path}/tune`, { options: { version: '1' } });
    await expect(downgrade).rejects.toThrow('cannot downgrade mount from version 2');
    await call('write', `mounts/${path}/tune`, { description: '', default_lease_ttl: 'system' });
    expect((await call('read', `mounts/${path}/tune`))?.data).toMatchObject({
      description: '',
      default_lease_ttl: 2_764_800,
    });
  });

  describe('of lease times', () => {
    const tuned = async (change: Readonly<Record<string, unknown>>) => {
      await call('write', 'mounts/times/tune', change);
      return (await call('read', 'mounts/times/tune'))?.data;
    };

    beforeAll(async () => {
      await call('write', 'mounts/times', { type: 'kv', config: { default_lease_ttl: 3600, max_lease_ttl: '2h' } });
    });

    test.each(['', ' ', null, undefined])('%j keeps them', async (nothing) => {
      const kept = { default_lease_ttl: 3600, max_lease_ttl: 7200 };
      const change = { default_lease_ttl: nothing, max_lease_ttl: nothing, description: 'changed' };
      expect(await tuned(change)).toMatchObject({ ...kept, description: 'changed' });
      expect(await tuned({ ...change, options: { version: '1' } })).toMatchObject(kept);
    });

    test.each([
      [{ max_lease_ttl: '30m' }, 'max lease TTL'],
      [{ default_lease_ttl: '', max_lease_ttl: 1800 }, 'max lease TTL'],
      [{ default_lease_ttl: '3h', max_lease_ttl: '' }, 'max lease TTL'],
      [{ default_lease_ttl: 7201 }, 'max lease TTL'],
      [{ default_lease_ttl: '33d', max_lease_ttl: 'system' }, 'system max lease TTL of 2764800'],
      [{ default_lease_ttl: 3_000_000, max_lease_ttl: 0 }, 'system max lease TTL of 2764800'],
    ])('%j is refused, because the maximum would be shorter than the default', async (change, message) => {
      await expect(tuned(change)).rejects.toMatchObject({
        kind: 'bad-request',
        message: expect.stringContaining(message),
      });
      expect((await call('read', 'mounts/times'))?.data).toMatchObject({
        config: { default_lease_ttl: 3600, max_lease_ttl: 7200 },
      });
    });

    test('numbers and strings set them, "system" and 0 remove the settings', async () => {
      expect(await tuned({ default_lease_ttl: '60' })).toMatchObject({ default_lease_ttl: 60, max_lease_ttl: 7200 });
      expect(await tuned({ max_lease_ttl: 120 })).toMatchObject({ default_lease_ttl: 60, max_lease_ttl: 120 });
      const system = 2_764_800;
      expect(await tuned({ default_lease_ttl: 'system' })).toMatchObject({
        default_lease_ttl: system,
        max_lease_ttl: 120,
      });
      expect(await tuned({ default_lease_ttl: '3m', max_lease_ttl: 'system' })).toMatchObject({
        default_lease_ttl: 180,
        max_lease_ttl: system,
      });
      expect(await tuned({ default_lease_ttl: 0 })).toMatchObject({ default_lease_ttl: system, max_lease_ttl: system });
      expect(await tuned({ default_lease_ttl: '1m', max_lease_ttl: '40d' })).toMatchObject({
        max_lease_ttl: 3_456_000,
      });
    });
  });

  test('a missing mount cannot be tuned', async () => {
    await expect(call('read', 'mounts/none/tune')).rejects.toThrow('"none/"');
    await expect(call('write', 'mounts/none/tune', { description: 'x' })).rejects.toThrow('"none/"');
  });
});

test('a mount moves', async () => {
  await call('write', 'mounts/here', { type: 'kv' });
  const reply = await call('write', 'remount', { from: 'here', to: '/there/' });
  expect(reply).toMatchObject({
    flat: true,
    data: { migration_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) },
    warnings: [expect.stringMatching(/^Mount move has been queued\. /)],
  });
  expect((await it.mounts.find('there/'))?.type).toBe('kv');
  await expect(call('write', 'remount', { from: 'sys', to: 'x' })).rejects.toThrow('cannot unmount');
  await expect(call('write', 'remount', { from: 'there', to: 'sys/x' })).rejects.toThrow('cannot mount');
});

test('a mount cannot move below itself, but beside a path with the same prefix', async () => {
  await call('write', 'mounts/outer', { type: 'kv' });
  const below = call('write', 'remount', { from: 'outer', to: 'outer/inner' });
  await expect(below).rejects.toMatchObject({ kind: 'bad-request', message: expect.stringContaining('outer/') });
  expect((await it.mounts.find('outer/'))?.type).toBe('kv');
  await call('write', 'remount', { from: 'outer', to: 'outermost' });
  expect((await it.mounts.find('outermost/'))?.type).toBe('kv');
});

test('a move has ended when its reply was sent, whichever process is asked', async () => {
  await call('write', 'mounts/old', { type: 'kv' });
  const moved = await call('write', 'remount', { from: 'old/', to: 'new/deep' });
  const { migration_id: id } = z.object({ migration_id: z.string() }).parse(moved?.data);
  const another = calling({ rows: mountRows({ ...it, mounts: openMountTable({ ...it, fixed }) }) }, system);
  expect((await another('read', `remount/status/${id}`))?.data).toEqual({
    migration_id: id,
    migration_info: { source_mount: 'old/', target_mount: 'new/deep/', status: 'success' },
  });
  expect(await call('read', 'remount/status/d6d613b2-1a3a-433f-a38f-e6b73b4250fd')).toBeUndefined();
  expect(await call('read', 'remount/status/6f6c64')).toBeUndefined();
});

test('a failed move leaves no trace, and of many moves the newest are remembered', async () => {
  await call('write', 'mounts/from', { type: 'kv' });
  const count = async () => (await it.store.db.selectFrom('mount_moves').select('id').execute()).length;
  const before = await count();
  await expect(call('write', 'remount', { from: 'from', to: 'full' })).rejects.toThrow('in use');
  expect(await count()).toBe(before);
  await sql`insert into mount_moves (id, source, target, ended_at)
    select gen_random_uuid(), 'a/', 'b/', '2000-01-01' from generate_series(1, 1200)`.execute(it.store.db);
  const moved = await call('write', 'remount', { from: 'from', to: 'to' });
  expect(await count()).toBe(1_000);
  const { migration_id: id } = z.object({ migration_id: z.string() }).parse(moved?.data);
  expect((await call('read', `remount/status/${id}`))?.data).toMatchObject({ migration_info: { status: 'success' } });
});

describe('the first requests of user interfaces', () => {
  const limited = { ...root, root: false, policies: ['default'] };
  const preflight = (path: string) =>
    `preflight capability check returned 403, please ensure client's policies grant access to path "${path}"`;

  const invalidToken = '2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n';

  beforeAll(async () => {
    await call('write', 'mounts/team/kv', { type: 'kv-v2' });
    await call('write', 'mounts/private', { type: 'kv-v1' });
  });

  test('show root every mount and the mount of every path', async () => {
    const reply = await call('read', 'internal/ui/mounts');
    expect(reply?.data).toMatchObject({
      secret: { 'team/kv/': { options: { version: '2' } } },
      auth: { 'token/': {} },
    });
    expect((await call('read', 'internal/ui/mounts/team/kv/some/path'))?.data).toMatchObject({
      path: 'team/kv/',
      type: 'kv',
      options: { version: '2' },
    });
    expect((await call('read', 'internal/ui/mounts/team/kv'))?.data).toMatchObject({ path: 'team/kv/' });
  });

  test('show root the effective lease times, and in the list of mounts the configured ones', async () => {
    const holds = { default_lease_ttl: 2_764_800, max_lease_ttl: 2_764_800 };
    const visible = await call('read', 'internal/ui/mounts');
    expect(visible?.data).toMatchObject({ secret: { 'private/': { config: holds } } });
    expect((await call('read', 'internal/ui/mounts/private/a'))?.data).toMatchObject({ config: holds });
    const set = { default_lease_ttl: 0, max_lease_ttl: 0 };
    expect((await call('read', 'mounts'))?.data).toMatchObject({ 'private/': { config: set } });
  });

  test('tell a caller with any grant below a mount that it holds a path', async () => {
    const member = as({ caller: limited, reached: new Set(['team/kv/']) });
    expect((await member('read', 'internal/ui/mounts/team/kv/some/path'))?.data).toMatchObject({ path: 'team/kv/' });
  });

  test('do not let a caller without a grant distinguish a mount from a missing one', async () => {
    const stranger = as({ caller: limited, reached: new Set(['team/kv/']) });
    await expect(stranger('read', 'internal/ui/mounts/private/a')).rejects.toMatchObject({
      kind: 'permission-denied',
      messages: [preflight('private/a/')],
    });
    await expect(stranger('read', 'internal/ui/mounts/none/a')).rejects.toThrow(preflight('none/a/'));
  });

  test.each(['team/kv/a', 'none/a'])(
    'tell a caller without a valid token only that, and nothing about %s',
    async (path) => {
      const read = (tokenSent: boolean) => as({ caller: undefined, tokenSent })('read', `internal/ui/mounts/${path}`);
      await expect(read(false)).rejects.toMatchObject({ kind: 'permission-denied', messages: ['permission denied'] });
      await expect(read(true)).rejects.toMatchObject({ kind: 'permission-denied', messages: [invalidToken] });
    },
  );

  test('do not treat an invalid token like a missing one', async () => {
    const listing = as({ caller: undefined, tokenSent: true })('read', 'internal/ui/mounts');
    await expect(listing).rejects.toMatchObject({ kind: 'permission-denied', messages: [invalidToken] });
  });

  test('show callers without a token only public mounts, with few details', async () => {
    const reply = await as({ caller: undefined })('read', 'internal/ui/mounts');
    expect(reply?.data).toEqual({
      secret: { 'full/': { type: 'kv', description: 'for tests', options: {} } },
      auth: {},
    });
  });

  test('show a caller the mounts below which it has any grant', async () => {
    const reply = await as({ caller: limited, reached: new Set(['team/kv/']) })('read', 'internal/ui/mounts');
    expect(Object.keys(reply?.data ?? {})).toEqual(['secret', 'auth']);
    expect(reply?.data).toMatchObject({ secret: { 'team/kv/': { accessor: expect.any(String) } }, auth: {} });
    expect(reply?.data).not.toHaveProperty(['secret', 'private/']);
  });
});
