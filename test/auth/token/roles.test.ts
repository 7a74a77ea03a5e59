import { describe, expect, test } from 'vitest';
import { choosePolicies } from '#auth/token/create/policies.ts';
import { newRole } from '#auth/token/roles/role.ts';
import { tokenBench } from './setup.ts';

const roleWith = (settings: object) => ({ ...newRole, ...settings, name: 'ci' });
const choice = { asked: [], noDefault: false, parent: ['a', 'default'], privileged: false, role: undefined };

describe('policies of a new token', () => {
  test.each([
    [{}, ['a', 'default']],
    [{ parent: ['a'] }, ['a']],
    [{ asked: ['A '] }, ['a', 'default']],
    [{ asked: ['a'], parent: ['a'] }, ['a']],
    [{ asked: ['a'], noDefault: true }, ['a']],
    [{ noDefault: true }, ['a']],
    [{ asked: ['z'], privileged: true }, ['default', 'z']],
    [{ asked: ['root'], privileged: true, parent: ['root'] }, ['root']],
    [{ role: roleWith({ allowed_policies: ['x', 'y'] }) }, ['default', 'x', 'y']],
    [{ role: roleWith({ allowed_policies: ['x', 'y'] }), asked: ['y'] }, ['default', 'y']],
    [{ role: roleWith({ allowed_policies: ['x'] }), noDefault: true }, ['x']],
    [{ role: roleWith({ allowed_policies: ['x'], disallowed_policies: ['default'] }) }, ['x']],
    [{ role: roleWith({ disallowed_policies: ['default'] }) }, ['a']],
    [{ role: roleWith({ disallowed_policies: ['z'] }) }, ['a', 'default']],
    [{ role: roleWith({ allowed_policies_glob: ['app-*'] }), asked: ['app-1'] }, ['app-1', 'default']],
    [{ role: roleWith({ allowed_policies_glob: ['app-*'] }) }, ['default']],
    [{ role: roleWith({ allowed_policies_glob: ['app-*'] }), parent: ['root'], privileged: true }, ['default']],
    [{ role: roleWith({ allowed_policies_glob: ['app-*'] }), noDefault: true }, []],
    [{ role: roleWith({ disallowed_policies_glob: ['def*'] }) }, ['a']],
    [{ role: roleWith({ disallowed_policies_glob: ['def*'] }), asked: ['z'], privileged: true }, ['z']],
    [{ role: roleWith({ disallowed_policies: ['x'] }), asked: ['a'] }, ['a', 'default']],
    [{ role: roleWith({ disallowed_policies: ['x'] }), asked: ['z'], privileged: true }, ['default', 'z']],
    [
      { role: roleWith({ disallowed_policies: ['x'] }), asked: ['z'], parent: ['root'], privileged: true },
      ['default', 'z'],
    ],
  ])('%j: %j', (changes, policies) => {
    expect(choosePolicies({ ...choice, ...changes })).toEqual(policies);
  });

  test.each([
    [{ asked: ['z'] }, 'child policies must be subset of parent'],
    [{ role: roleWith({ disallowed_policies: ['x'] }), asked: ['z'] }, 'child policies must be subset of parent'],
    [
      { role: roleWith({ disallowed_policies_glob: ['x*'] }), asked: ['a', 'z'] },
      'child policies must be subset of parent',
    ],
    [{ asked: ['default'], parent: ['a'] }, 'child policies must be subset of parent'],
    [{ asked: ['root'], privileged: true }, 'root tokens may not be created without parent token being root'],
    [{ role: roleWith({ allowed_policies: ['root'] }) }, 'root tokens may not be created without parent'],
    [{ asked: ['response-wrapping'], privileged: true }, 'cannot assign policy "response-wrapping"'],
    [
      { role: roleWith({ allowed_policies: ['x'], allowed_policies_glob: ['g-*'] }), asked: ['z'] },
      'token policies (["z"]) must be subset of the role\'s allowed policies (["default" "x"]) or glob policies (["g-*"])',
    ],
    [{ role: roleWith({ disallowed_policies: ['z'] }), asked: ['z'] }, 'token policy "z" is disallowed by this role'],
    [{ role: roleWith({ disallowed_policies: ['a'] }) }, 'token policy "a" is disallowed by this role'],
    [{ role: roleWith({ disallowed_policies_glob: ['def*'] }), asked: ['default'] }, 'policy "default" is disallowed'],
    [{ role: roleWith({ disallowed_policies_glob: ['*a*'] }), asked: ['bad'] }, 'policy "bad" is disallowed'],
  ])('%j is refused: %s', (changes, message) => {
    expect(() => choosePolicies({ ...choice, ...changes })).toThrow(message);
  });
});

describe('token roles', () => {
  const bench = tokenBench();
  const write = (name: string, fields = {}) => bench.call(bench.root, 'write', `roles/${name}`, fields);

  test('are read as they were written, with both names of renamed fields', async () => {
    await write('plain');
    expect((await bench.call(bench.root, 'read', 'roles/plain'))?.data).toEqual({
      name: 'plain',
      allowed_policies: [],
      allowed_policies_glob: [],
      disallowed_policies: [],
      disallowed_policies_glob: [],
      allowed_entity_aliases: [],
      orphan: false,
      renewable: true,
      path_suffix: '',
      token_type: 'default-service',
      token_no_default_policy: false,
      period: 0,
      token_period: 0,
      explicit_max_ttl: 0,
      token_explicit_max_ttl: 0,
    });
    await write('plain', { token_bound_cidrs: '10.0.0.1, 10.1.0.0/16', token_num_uses: 3, period: '1h' });
    await write('plain', { orphan: true });
    expect((await bench.call(bench.root, 'read', 'roles/plain'))?.data).toMatchObject({
      orphan: true,
      token_num_uses: 3,
      token_period: 3_600,
      period: 3_600,
      token_bound_cidrs: ['10.0.0.1', '10.1.0.0/16'],
      bound_cidrs: ['10.0.0.1', '10.1.0.0/16'],
    });
  });

  test('are listed in pages, and can be deleted repeatedly', async () => {
    for (const name of ['l1', 'l2', 'l3']) await write(name);
    const keys = async (fields: object) => (await bench.call(bench.root, 'list', 'roles/', { ...fields }))?.data;
    expect(await keys({ after: 'l', limit: 2 })).toEqual({ keys: ['l1', 'l2'] });
    expect(await keys({ after: 'l2', limit: 1 })).toEqual({ keys: ['l3'] });
    await bench.call(bench.root, 'delete', 'roles/l1');
    expect(await bench.call(bench.root, 'delete', 'roles/l1')).toBeUndefined();
    expect(await bench.call(bench.root, 'read', 'roles/l1')).toBeUndefined();
  });

  test.each([
    [{ token_type: 'other' }, "invalid 'token_type' value"],
    [{ path_suffix: 'a/b' }, "'path_suffix'"],
    [{ token_bound_cidrs: ['10.0.0.0/99'] }, 'is not a CIDR block'],
    [{ token_num_uses: -1 }, "'token_num_uses' cannot be negative"],
    [{ token_type: 'batch' }, 'set to generate non-orphan tokens'],
    [{ token_type: 'batch', orphan: true }, 'set to generate renewable tokens'],
    [{ token_type: 'batch', orphan: true, renewable: false, token_period: 5 }, 'set to generate periodic tokens'],
  ])('%j is refused: %s', async (fields, message) => {
    await expect(write('bad', fields)).rejects.toThrow(message);
    expect(await bench.call(bench.root, 'read', 'roles/bad')).toBeUndefined();
  });

  test('the new name of a field takes precedence over the old one, with a warning', async () => {
    expect(await write('both', { token_period: '1h', period: '2h' })).toEqual({
      warnings: ["Both 'token_period' and deprecated 'period' value supplied, ignoring the deprecated value"],
    });
  });

  test('override the request: type, uses, lifetime, path, addresses, parent', async () => {
    await write('strict', {
      orphan: true,
      renewable: false,
      path_suffix: 'x1',
      token_num_uses: 5,
      token_explicit_max_ttl: '1h',
      allowed_policies: 'app',
      token_no_default_policy: true,
      token_bound_cidrs: '10.0.0.0/8',
    });
    const made = await bench.create(bench.root, { num_uses: 9, explicit_max_ttl: '2h', ttl: '3h' }, 'create/strict');
    expect(made).toMatchObject({
      policies: ['app'],
      orphan: true,
      renewable: false,
      num_uses: 5,
      lease_duration: 3_600,
    });
    expect(made.warnings).toEqual([
      'Explicit max TTL specified both during creation call and in role; using the lesser value of 3600 seconds',
      expect.stringMatching(/^TTL of "3h"/),
      'Policy "app" does not exist',
    ]);
    expect(await bench.isAccepted(made.client_token, '192.168.0.1')).toBe(false);
    expect(await bench.isAccepted(made.client_token, '')).toBe(false);
    const { data } = (await bench.call(made.client_token, 'read', 'lookup-self', {}, { from: '10.1.2.3' })) ?? {};
    expect(data).toMatchObject({ role: 'strict', path: 'auth/token/create/strict/x1', bound_cidrs: ['10.0.0.0/8'] });
  });

  test('in the body require access to their path', async () => {
    await write('named');
    const fields = { role_name: 'named', policies: ['default'] };
    await expect(bench.create(bench.root, fields)).rejects.toThrow('permission denied');
    const allowed = new Set(['write auth/token/create/named']);
    expect(await bench.create(bench.root, fields, 'create', { allowed })).toMatchObject({ policies: ['default'] });
  });

  test('that do not exist make no token', async () => {
    await expect(bench.create(bench.root, {}, 'create/none')).rejects.toThrow('unknown role none');
  });

  test('allow aliases of entities by globs', async () => {
    await write('alias', { allowed_entity_aliases: 'web-*,one' });
    const create = (entity_alias: string) =>
      bench.create(bench.root, { entity_alias, policies: ['default'] }, 'create/alias');
    for (const alias of ['web-1', 'Web-', 'one'])
      expect(await create(alias)).toMatchObject({ entity_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    for (const alias of ['web', 'ones', 'a-web-1'])
      await expect(create(alias)).rejects.toThrow("invalid 'entity_alias'");
  });

  test('can require batch tokens', async () => {
    await write('batch', { token_type: 'batch', orphan: true, renewable: false });
    await write('maybe', { token_type: 'default-batch' });
    const type = async (path: string, fields = {}) =>
      (await bench.create(bench.root, { policies: ['default'], ...fields }, `create/${path}`)).token_type;
    expect(await type('batch', { type: 'service' })).toBe('batch');
    expect(await type('maybe')).toBe('batch');
    expect(await type('maybe', { type: 'service' })).toBe('service');
  });
});

describe('a caller without the root policy', () => {
  const bench = tokenBench();
  const caller = async () => (await bench.create(bench.root, { policies: ['a', 'default'] })).client_token;

  test.each([
    [{ id: 'mine' }, 'root or sudo privileges required to specify token id'],
    [{ no_parent: true }, 'root or sudo privileges required to create orphan token'],
    [{ period: '1h' }, 'root or sudo privileges required to create periodic token'],
    [{ policies: ['b'] }, 'child policies must be subset of parent'],
  ])('needs the sudo capability for %j', async (fields, message) => {
    const token = await caller();
    await expect(bench.create(token, fields)).rejects.toThrow(message);
    expect(await bench.create(token, fields, 'create', { sudo: true })).toMatchObject({ token_type: 'service' });
  });

  test('needs no privilege for an orphan by create-orphan', async () => {
    expect(await bench.create(await caller(), {}, 'create-orphan')).toMatchObject({ orphan: true });
  });

  test.each(['hvs.', 'hvb.', 's.', 'b.'])('no id begins with %s', async (start) => {
    await expect(bench.create(bench.root, { id: `${start}x` })).rejects.toThrow(`cannot have the '${start}' prefix`);
  });

  test('the mount limits the lifetime of tokens', async () => {
    const config = { default_lease_ttl: 600, max_lease_ttl: 1_200 };
    const make = (fields: object) => bench.create(bench.root, { policies: ['a'], ...fields }, 'create', { config });
    expect((await make({})).lease_duration).toBe(600);
    expect((await make({ ttl: '1h' })).lease_duration).toBe(1_200);
  });
});
