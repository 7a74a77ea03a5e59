import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mintRootToken } from '#auth/token/issue/mint.ts';
import type { OpenStore } from '#store/open.ts';
import { testStore } from '../../store/stores.ts';
import { doorAccessor, processOn } from './setup.ts';

let store: OpenStore;
let root: string;
let here: ReturnType<typeof processOn>;
let there: ReturnType<typeof processOn>;
beforeAll(async () => {
  store = await testStore({ poolSize: 8 });
  root = await mintRootToken(store);
  here = processOn(store);
  there = processOn(store);
});
afterAll(() => store.close());

const write = (path: string, body: object) => here.ask('POST', `identity/${path}`, root, body);
const made = async (path: string, body: object): Promise<string> => (await write(path, body)).body.data.id;
const entityOf = async (name: string) =>
  (await write('lookup/entity', { alias_name: name, alias_mount_accessor: doorAccessor })).body.data;

const login = async (name: string, more: object = {}, at = here) =>
  at.ask('POST', 'auth/door/login', undefined, { name, ...more });

describe('a login', () => {
  test('creates the entity of its alias once, and shows the policies of the entity', async () => {
    const first = (await login('ada', { metadata: { mail: 'a@example.com' } })).body.auth;
    expect(first).toMatchObject({ entity_id: expect.stringMatching(/^[0-9a-f-]{36}$/), policies: ['default'] });
    expect(first.identity_policies).toBeUndefined();
    await write(`entity/id/${first.entity_id}`, { policies: ['reader'] });
    const second = (await login('Ada', {}, there)).body.auth;
    expect(second).toMatchObject({
      entity_id: first.entity_id,
      policies: ['default', 'reader'],
      token_policies: ['default'],
      identity_policies: ['reader'],
    });
    expect((await entityOf('ADA')).aliases).toMatchObject([
      { name: 'ada', metadata: { mail: 'a@example.com' }, mount_accessor: doorAccessor, mount_path: 'auth/door/' },
    ]);
  });

  test('refreshes the metadata of its alias', async () => {
    await login('fresh', { metadata: { a: '1' } });
    await login('fresh', { metadata: { b: '2' } });
    expect((await entityOf('fresh')).aliases[0].metadata).toEqual({ b: '2' });
    await login('fresh');
    expect((await entityOf('fresh')).aliases[0].metadata).toEqual({ b: '2' });
    expect((await login('fresh', { odd: 'c' })).status).toBe(200);
    expect((await entityOf('fresh')).aliases[0].metadata).toEqual({ 'c\ufffd': '\ufffd\ufffd' });
  });

  test('of a disabled entity is refused until it is enabled', async () => {
    const { entity_id: id } = (await login('off')).body.auth;
    await write(`entity/id/${id}`, { disabled: true });
    for (const at of [here, there]) {
      expect(await login('off', { metadata: { a: '1' } }, at)).toMatchObject({
        status: 403,
        body: { errors: [expect.stringContaining('permission denied')] },
      });
    }
    await write(`entity/id/${id}`, { disabled: false });
    expect((await login('off')).body.auth.entity_id).toBe(id);
  });

  test('with an alias that cannot be stored fails alone', async () => {
    const names = ['good-1', 'bad\0', 'x'.repeat(513), 'good-2'];
    const answers = await Promise.all(names.map((name) => login(name)));
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 200]);
  });

  test('a hundred concurrent logins with one alias at two processes create one entity', async () => {
    for (let round = 0; round < 3; round += 1) {
      const logins = Array.from({ length: 100 }, (_, n) =>
        login(`rush-${round}`, { groups: ['none'] }, n % 2 ? here : there),
      );
      const ids = (await Promise.all(logins)).map(({ body }) => body.auth.entity_id);
      expect(new Set(ids).size).toBe(1);
      expect((await entityOf(`rush-${round}`)).aliases).toHaveLength(1);
    }
    const { rows } = await here.ask('GET', 'identity/entity/id?list=true', root).then(({ body }) => ({
      rows: Object.values(body.data.key_info as Record<string, { aliases: object[] }>),
    }));
    expect(rows.filter(({ aliases }) => aliases.length === 0)).toEqual([]);
  });
});

describe('external groups', () => {
  test('are those of the last login, and only at its mount', async () => {
    const named = async (name: string) => {
      const id = await made('group', { type: 'external', name, policies: [`${name}-policy`] });
      await write('group-alias', { name, mount_accessor: doorAccessor, canonical_id: id });
      return id;
    };
    const [red, blue] = [await named('red'), await named('blue')];
    const auth = (await login('member', { groups: ['RED', 'unknown'] })).body.auth;
    expect(auth.identity_policies).toEqual(['red-policy']);
    const own = await made('group', { member_entity_ids: [auth.entity_id], policies: ['own-policy'] });
    const shown = async (more: object, at = here) => (await login('member', more, at)).body.auth.identity_policies;
    expect(await shown({ groups: ['blue', 'red'] }, there)).toEqual(['blue-policy', 'own-policy', 'red-policy']);
    expect(await shown({})).toEqual(['blue-policy', 'own-policy', 'red-policy']);
    expect(await shown({ groups: ['blue'] })).toEqual(['blue-policy', 'own-policy']);
    expect((await entityOf('member')).group_ids).toEqual([blue, own].sort());
    expect((await here.ask('GET', `identity/group/id/${red}`, root)).body.data.member_entity_ids).toBeNull();
    expect(await shown({ groups: [] })).toEqual(['own-policy']);
  });

  test('lose their members when their alias is deleted', async () => {
    const group = await made('group', { type: 'external', policies: ['gone-policy'] });
    const alias = await made('group-alias', { name: 'gone', mount_accessor: doorAccessor, canonical_id: group });
    const auth = (await login('leaver', { groups: ['gone'] })).body.auth;
    expect(auth.identity_policies).toEqual(['gone-policy']);
    await here.ask('DELETE', `identity/group-alias/id/${alias}`, root);
    const { body } = await there.ask('GET', 'auth/token/lookup-self', auth.client_token);
    expect(body.data.identity_policies).toEqual([]);
  });

  test('of many concurrent logins with changing groups are those of one of the logins', async () => {
    for (const name of ['x', 'y']) {
      const id = await made('group', { type: 'external', name: `flip-${name}` });
      await write('group-alias', { name: `flip-${name}`, mount_accessor: doorAccessor, canonical_id: id });
    }
    const sets = [['flip-x'], ['flip-y'], ['flip-x', 'flip-y'], []];
    await login('flipper');
    const logins = Array.from({ length: 40 }, (_, n) =>
      login('flipper', { groups: sets[n % sets.length] }, n % 3 ? here : there),
    );
    expect(new Set((await Promise.all(logins)).map(({ status }) => status))).toEqual(new Set([200]));
    await login('flipper', { groups: ['flip-y'] });
    expect((await entityOf('flipper')).direct_group_ids).toHaveLength(1);
  });
});

test('logins and merges succeed while their groups are deleted', async () => {
  for (let round = 0; round < 10; round += 1) {
    const name = `short-${round}`;
    const group = await made('group', { type: 'external', name });
    await write('group-alias', { name, mount_accessor: doorAccessor, canonical_id: group });
    const [from, to] = [
      (await login(`from-${round}`, { groups: [name] })).body.auth.entity_id,
      await made('entity', {}),
    ];
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, (_, n) => login(`${name}-${n}`, { groups: [name] }, n % 2 ? here : there)),
      write('entity/merge', { to_entity_id: to, from_entity_ids: [from] }),
      here.ask('DELETE', `identity/group/id/${group}`, root),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([...Array(6).fill(200), 204, 204]);
  }
});

test('a repeated login takes two statements, a request one, and reading an entity with 1,000 groups one', async () => {
  const auth = (await login('counted', { groups: ['a'] })).body.auth;
  await sql`with made as (
      insert into identity_groups (id, name, name_key, type, policies, created_at, updated_at)
      select gen_random_uuid(), 'many-' || n, 'many-' || n, 'internal', array['p-' || n % 10], now(), now()
        from generate_series(1, 1000) n returning id)
    insert into group_entities (group_id, entity_id) select id, ${auth.entity_id} from made`.execute(store.db);
  await sql`update entities set version = version + 1 where id = ${auth.entity_id}`.execute(store.db);
  expect((await login('counted')).body.auth.identity_policies).toHaveLength(10);
  // The alias with the entity's state, and the new token.
  expect(await here.statements(() => login('counted'))).toBe(2);
  const self = () => here.ask('GET', 'auth/token/lookup-self', auth.client_token);
  expect((await self()).body.data.identity_policies).toHaveLength(10);
  expect(await here.statements(self)).toBe(1);
  const entity = () => here.ask('GET', `identity/entity/id/${auth.entity_id}`, root);
  expect((await entity()).body.data.group_ids).toHaveLength(1_000);
  // The look-up of the token, and the entity.
  expect(await here.statements(entity)).toBe(2);
});
