import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { methods } from '#auth/methods/index.ts';
import { openMethods } from '#auth/methods/open.ts';
import { mintRootToken } from '#auth/token/issue/mint.ts';
import { Secret } from '#core/secret.ts';
import { systemMount } from '#http/v1/engines.ts';
import type { AuthReply } from '#path/contract/reply.ts';
import type { OpenStore } from '#store/open.ts';
import { calling } from '../../engines/setup.ts';
import { testStore } from '../../store/stores.ts';
import { callersOn } from '../../support/auth/callers.ts';

let store: OpenStore;
let root: string;

beforeAll(async () => {
  store = await testStore();
  root = await mintRootToken(store);
});
afterAll(() => store.close());

/** Calls rows like the pipeline, which refuses invalid tokens. */
async function as(token: string) {
  const { methodParts, gatekeeper } = callersOn(store);
  const caller = await gatekeeper.authenticate(new Secret(token));
  if (typeof caller === 'string') throw new Error('the token was refused');
  const [method] = openMethods(methods, methodParts);
  if (method === undefined) throw new Error('there is no token method');
  return calling(method, systemMount, { caller });
}

async function create(token: string, fields: Readonly<Record<string, unknown>> = {}) {
  const reply = await (await as(token))('write', 'create', fields);
  if (reply?.auth === undefined) throw new Error('no token');
  return { ...reply.auth, warnings: reply.warnings };
}

const lookup = async ({ client_token }: AuthReply) => (await (await as(client_token))('read', 'lookup-self'))?.data;

describe('creating a token', () => {
  test('empty values of the fields that clients always send change nothing', async () => {
    const made = await create(root, {
      type: '',
      entity_alias: '',
      role_name: '',
      display_name: '',
      ttl: '',
      period: '',
    });
    expect(made).toMatchObject({ policies: ['root'], lease_duration: 0, renewable: false, warnings: [] });
    expect(await lookup(made)).toMatchObject({ display_name: 'token', ttl: 0, expire_time: null, type: 'service' });
  });

  test.each([
    [{ display_name: 'terraform' }, 'token-terraform'],
    [{ display_name: 'a b/c!' }, 'token-a-b-c'],
  ])('of %j the display name is %s', async (fields, name) => {
    expect(await lookup(await create(root, fields))).toMatchObject({ display_name: name });
  });

  test.each([
    [{ type: 'batch' }, 'batch tokens cannot be root tokens'],
    [{ type: 'other' }, "invalid 'token_type' value"],
    [{ role_name: 'ci' }, 'unknown role ci'],
    [{ entity_alias: 'me' }, "'entity_alias' is only allowed in combination with token role"],
    [{ num_uses: -1 }, 'number of uses cannot be negative'],
    [{ id: 'a.b' }, "cannot have a '.'"],
    [{ num_uses: 2_147_483_648 }, 'field "num_uses": expected a number of at most 2147483647'],
    [{ explicit_max_ttl: '99999999999' }, 'field "explicit_max_ttl": expected a number of at most 2147483647'],
    [{ period: '2000000000h' }, 'field "period": expected a number of at most 2147483647'],
  ])('%j is refused, since the token would differ from the request: %s', async (fields, message) => {
    await expect(create(root, fields)).rejects.toThrow(message);
  });

  test.each([
    [{ ttl: '1h' }, 3_600],
    [{ lease: '2h' }, 7_200],
    [{ lease: '2h', ttl: '1h' }, 3_600],
    [{ explicit_max_ttl: '1h' }, 3_600],
    [{ explicit_max_ttl: '1h', ttl: '30m' }, 1_800],
    [{ period: '1h' }, 3_600],
    [{ policies: ['default'] }, 2_764_800],
    [{ policies: ['default'], ttl: 0 }, 2_764_800],
    [{ ttl: 0 }, 0],
  ])('%j lives for %i seconds', async (fields, seconds) => {
    expect((await create(root, fields)).lease_duration).toBe(seconds);
  });

  const ttlOf = (asked: string, cap: string) =>
    `TTL of "${asked}" exceeded the effective max_ttl of "${cap}"; TTL value is capped accordingly`;
  const periodOf = (asked: string, cap: string) =>
    `period of "${asked}" exceeded the effective max_ttl of "${cap}"; period value is capped accordingly`;
  const explicit = (asked: string) =>
    `explicit_max_ttl of "${asked}" exceeded the effective max_ttl of "768h"; the shorter one applies`;

  test.each([
    [{ ttl: '2h', explicit_max_ttl: '1h' }, 3_600, [ttlOf('2h', '1h')]],
    [{ policies: ['default'], explicit_max_ttl: '90m' }, 5_400, [ttlOf('768h', '1h30m')]],
    [{ explicit_max_ttl: '90m' }, 5_400, []],
    [{ ttl: '800h' }, 2_764_800, [ttlOf('800h', '768h')]],
    [{ ttl: '800h1s' }, 2_764_800, [ttlOf('800h1s', '768h')]],
    [{ explicit_max_ttl: '800h' }, 2_764_800, [explicit('800h')]],
    [{ policies: ['default'], explicit_max_ttl: '800h30m' }, 2_764_800, [explicit('800h30m')]],
    [{ ttl: '1h', explicit_max_ttl: '768h' }, 3_600, []],
    [{ period: '800h' }, 2_764_800, [periodOf('800h', '768h')]],
    [{ period: '61', explicit_max_ttl: '60' }, 60, [periodOf('1m1s', '1m')]],
  ])('%j lives for %i seconds, and the reduction is reported', async (fields, seconds, warnings) => {
    expect(await create(root, fields)).toMatchObject({ lease_duration: seconds, warnings });
  });

  test('a custom id causes a warning', async () => {
    const made = await create(root, { id: 'my-own-token', policies: ['default'] });
    expect(made).toMatchObject({
      client_token: 'my-own-token',
      warnings: [expect.stringMatching(/^Supplying a custom ID for the token .* as easy to guess/)],
    });
  });

  test('a duplicate id has its own kind of error', async () => {
    await create(root, { id: 'taken-token' });
    await expect(create(root, { id: 'taken-token' })).rejects.toMatchObject({
      kind: 'already-exists',
      message: 'cannot create a token with a duplicate ID',
    });
  });

  test.each([
    [[' b '], ['b', 'default']],
    [
      ['b', 'B ', ' '],
      ['b', 'default'],
    ],
    [[' '], ['default']],
    [[' Root ', 'b'], ['root']],
    [' b , c', ['b', 'c', 'default']],
  ])('the policies %j become the names %j', async (policies, names) => {
    expect((await create(root, { policies })).policies).toEqual(names);
  });

  test('spaces in a policy name do not circumvent the policies of the parent', async () => {
    const parent = await create(root, { policies: ['b'] });
    expect((await create(parent.client_token, { policies: [' b '] })).policies).toEqual(['b', 'default']);
    await expect(create(parent.client_token, { policies: [' root '] })).rejects.toThrow('must be subset of parent');
  });
});

test('a policy that does not exist is reported, since it grants nothing', async () => {
  const { policies, warnings } = await create(root, { policies: ['CI', 'default'] });
  expect(policies).toEqual(['ci', 'default']);
  expect(warnings).toEqual(['Policy "ci" does not exist']);
});

test('older clients look up their token with a POST', async () => {
  const call = await as(root);
  expect(await call('write', 'lookup-self')).toEqual(await call('read', 'lookup-self'));
});

test('a token can look itself up in each of its uses, including the last', async () => {
  const made = await create(root, { num_uses: 2 });
  expect(await lookup(made)).toMatchObject({ num_uses: 1 });
  expect(await lookup(made)).toMatchObject({ num_uses: -1 });
  await expect(lookup(made)).rejects.toThrow('the token was refused');
});

describe('a child does not outlive the limits of its parent', () => {
  test('a root token that expires cannot create one that does not', async () => {
    const parent = await create(root, { ttl: '1h' });
    const child = create(parent.client_token, { no_parent: true });
    await expect(child).rejects.toThrow('expiring root tokens cannot create non-expiring root tokens');
    expect((await create(parent.client_token, { ttl: '30m' })).lease_duration).toBe(1_800);
  });

  test.each([1, 2])('a token with %i uses cannot have children', async (uses) => {
    const parent = await create(root, { num_uses: uses });
    await expect(create(parent.client_token)).rejects.toThrow('restricted use token cannot generate child tokens');
  });
});
