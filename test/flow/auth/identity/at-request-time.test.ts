import { beforeAll, describe, expect, test } from 'vitest';
import { accessorOf } from '#test/support/flow/accessors.ts';
import { ask } from '#test/support/flow/calls/ask.ts';
import { asking } from '#test/support/flow/holders.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { otherProcessOf } from '#test/support/flow/other-process.ts';

// Tokens of entities, created with the aliases of a token role.
const service = serviceOf([]);
const other = otherProcessOf(service);
const write = (path: string, body: object) => service.ask('POST', `identity/${path}`, body);

beforeAll(async () => {
  await service.ask('POST', 'auth/token/roles/alias', { allowed_entity_aliases: '*', orphan: true });
  await service.ask('PUT', 'sys/policies/acl/reader', { policy: 'path "secret/data/shared" { policy = "read" }' });
});

interface EntityToken {
  readonly entity: string;
  readonly token: string;
  readonly alias: string;
}

async function tokenOf(alias: string, more: object = {}) {
  const body = { entity_alias: alias, policies: ['default'], ...more };
  return (await service.ask('POST', 'auth/token/create/alias', body)).body['auth'] as {
    client_token: string;
    entity_id: string;
  };
}

async function entityToken(more: object = {}): Promise<EntityToken> {
  const alias = service.name('entity');
  const auth = await tokenOf(alias, more);
  return { entity: auth.entity_id, token: auth.client_token, alias };
}

const statuses = async (token: string, path = 'secret/data/shared') =>
  Promise.all(
    [service.address, other.address].map(
      async (address) => (await ask({ address, token, method: 'GET', path })).status,
    ),
  );

describe('policies of an entity and of its groups', () => {
  test('apply from the next request on, in every process', async () => {
    const { entity, token } = await entityToken();
    for (let round = 0; round < 5; round += 1) {
      expect(await statuses(token)).toEqual([403, 403]);
      await write(`entity/id/${entity}`, { policies: ['reader'] });
      expect(await statuses(token)).toEqual([404, 404]);
      await write(`entity/id/${entity}`, { policies: [] });
    }
    expect(await statuses(token)).toEqual([403, 403]);
    const inner = String((await write('group', { member_entity_ids: [entity] })).data['id']);
    const outer = String((await write('group', { member_group_ids: [inner], policies: ['reader'] })).data['id']);
    expect(await statuses(token)).toEqual([404, 404]);
    await write(`group/id/${inner}`, { member_entity_ids: [] });
    expect(await statuses(token)).toEqual([403, 403]);
    await write(`group/id/${inner}`, { member_entity_ids: [entity] });
    expect(await statuses(token)).toEqual([404, 404]);
    await service.ask('DELETE', `identity/group/id/${outer}`);
    expect(await statuses(token)).toEqual([403, 403]);
  });

  test('appear in look-ups and in capabilities', async () => {
    const { entity, token } = await entityToken();
    await write(`entity/id/${entity}`, { policies: ['reader', 'b'] });
    await write('group', { member_entity_ids: [entity], policies: ['a', 'reader'] });
    const own = asking(service, token);
    const shown = { entity_id: entity, policies: ['default'], identity_policies: ['a', 'b', 'reader'] };
    const { data } = await own('GET', 'auth/token/lookup-self');
    expect(data).toMatchObject({ ...shown, external_namespace_policies: {} });
    expect((await service.ask('POST', 'auth/token/lookup', { token })).data).toMatchObject(shown);
    expect(
      (await service.ask('POST', 'auth/token/lookup-accessor', { accessor: data['accessor'] })).data,
    ).toMatchObject(shown);
    const paths = ['secret/data/shared'];
    for (const answer of [
      await own('POST', 'sys/capabilities-self', { paths }),
      await service.ask('POST', 'sys/capabilities', { token, paths }),
      await service.ask('POST', 'sys/capabilities-accessor', { accessor: data['accessor'], paths }),
    ]) {
      expect(answer.data['capabilities']).toEqual(['list', 'read']);
    }
    const acl = await own('GET', 'sys/internal/ui/resultant-acl');
    expect(Object.keys(acl.data['exact_paths'] as object)).toContain('secret/data/shared');
  });

  test('are among the effective policies of a new token and of a renewed one', async () => {
    const { entity, token, alias } = await entityToken();
    await write(`entity/id/${entity}`, { policies: ['reader'] });
    await write('group', { member_entity_ids: [entity], policies: ['a'] });
    const { data } = await asking(service, token)('GET', 'auth/token/lookup-self');
    const effective = {
      policies: ['a', 'default', 'reader'],
      token_policies: ['default'],
      identity_policies: ['a', 'reader'],
    };
    expect(await tokenOf(alias)).toMatchObject({ entity_id: entity, ...effective });
    expect((await asking(service, token)('POST', 'auth/token/renew-self')).body['auth']).toMatchObject(effective);
    expect((await service.ask('POST', 'auth/token/renew', { token })).body['auth']).toMatchObject(effective);
    const { accessor } = data;
    expect((await service.ask('POST', 'auth/token/renew-accessor', { accessor })).body['auth']).toMatchObject(
      effective,
    );
    // The policies of the token itself do not change.
    expect((await asking(service, token)('GET', 'auth/token/lookup-self')).data['policies']).toEqual(['default']);
  });

  test('of a child token are those of the same entity, and an orphan has none', async () => {
    const { entity, token } = await entityToken();
    await write(`entity/id/${entity}`, { policies: ['maker', 'reader'] });
    await service.ask('PUT', 'sys/policies/acl/maker', {
      policy: 'path "auth/token/create*" { capabilities = ["update", "sudo"] }',
    });
    const make = async (path: string) =>
      ((await asking(service, token)('POST', path, {})).body['auth'] as { client_token: string }).client_token;
    expect(await statuses(await make('auth/token/create'))).toEqual([404, 404]);
    expect(await statuses(await make('auth/token/create-orphan'))).toEqual([403, 403]);
  });

  test('apply to batch tokens', async () => {
    const { entity, alias } = await entityToken();
    const { client_token: token } = await tokenOf(alias, { type: 'batch' });
    expect(await statuses(token)).toEqual([403, 403]);
    await write(`entity/id/${entity}`, { policies: ['reader'] });
    expect(await statuses(token)).toEqual([404, 404]);
    await write(`entity/id/${entity}`, { disabled: true });
    expect(await statuses(token, 'auth/token/lookup-self')).toEqual([403, 403]);
  });

  test('do not have to exist', async () => {
    const { entity, token } = await entityToken();
    await write('group', { member_entity_ids: [entity], policies: ['never-written', 'reader'] });
    expect(await statuses(token)).toEqual([404, 404]);
  });
});

describe('an entity', () => {
  test('that is disabled has no valid token until it is enabled again', async () => {
    const { entity, token, alias } = await entityToken();
    const path = 'auth/token/lookup-self';
    expect(await statuses(token, path)).toEqual([200, 200]);
    await write(`entity/id/${entity}`, { disabled: true });
    expect(await statuses(token, path)).toEqual([403, 403]);
    const refused = await service.ask('POST', 'auth/token/create/alias', { entity_alias: alias });
    expect(refused.status).toBe(403);
    // Administrators of tokens can still see it.
    expect((await service.ask('POST', 'auth/token/lookup', { token })).data['entity_id']).toBe(entity);
    await write(`entity/id/${entity}`, { disabled: false });
    expect(await statuses(token, path)).toEqual([200, 200]);
  });

  test('that is deleted invalidates its tokens, and its alias creates another one', async () => {
    const { entity, token, alias } = await entityToken();
    expect(await statuses(token, 'auth/token/lookup-self')).toEqual([200, 200]);
    await service.ask('DELETE', `identity/entity/id/${entity}`);
    expect(await statuses(token, 'auth/token/lookup-self')).toEqual([403, 403]);
    expect((await tokenOf(alias)).entity_id).not.toBe(entity);
    expect(await statuses(token, 'auth/token/lookup-self')).toEqual([403, 403]);
  });

  test('that is merged into another passes its tokens on', async () => {
    const [from, to] = [await entityToken(), await entityToken()];
    await write(`entity/id/${from.entity}`, { policies: ['reader'] });
    expect(await statuses(from.token)).toEqual([404, 404]);
    const aliases = (await service.ask('GET', `identity/entity/id/${to.entity}`)).data['aliases'] as { id: string }[];
    const body = { from_entity_ids: [from.entity], to_entity_id: to.entity };
    const answer = await write('entity/merge', { ...body, conflicting_alias_ids_to_keep: [aliases[0]?.id] });
    expect(answer.status).toBe(204);
    expect(await statuses(from.token)).toEqual([403, 403]);
    await write(`entity/id/${to.entity}`, { policies: ['reader'] });
    expect(await statuses(from.token)).toEqual([404, 404]);
    expect((await asking(service, from.token)('GET', 'auth/token/lookup-self')).data['entity_id']).toBe(to.entity);
    await service.ask('DELETE', `identity/entity/id/${to.entity}`);
    expect(await statuses(from.token)).toEqual([403, 403]);
  });
});

test('templates refer to the present entity, aliases and groups', async () => {
  const accessor = await accessorOf(service, 'auth', 'token/');
  const { entity, token, alias } = await entityToken({ policies: ['templated'] });
  const group = await write('group', { name: 'plate', member_entity_ids: [entity], metadata: { room: 'r1' } });
  const names = {
    id: '{{identity.entity.id}}',
    name: '{{identity.entity.name}}',
    team: '{{identity.entity.metadata.team}}',
    alias: `{{identity.entity.aliases.${accessor}.name}}`,
    custom: `{{identity.entity.aliases.${accessor}.custom_metadata.shoe}}`,
    room: '{{identity.groups.names.plate.metadata.room}}',
    plate: `{{identity.groups.ids.${group.data['id']}.name}}`,
  };
  const rules = Object.entries(names).map(([of, name]) => `path "secret/data/${of}/${name}" { policy = "read" }`);
  await service.ask('PUT', 'sys/policies/acl/templated', { policy: rules.join('\n') });
  const seen = async (path: string) => (await statuses(token, `secret/data/${path}`)).join();
  expect(await seen(`id/${entity}`)).toBe('404,404');
  expect(await seen(`name/entity-${entity}`)).toBe('404,404');
  expect(await seen(`alias/${alias}`)).toBe('404,404');
  expect(await seen('room/r1')).toBe('404,404');
  expect(await seen('plate/plate')).toBe('404,404');
  expect(await seen('team/red')).toBe('403,403');
  await write(`entity/id/${entity}`, { name: 'plated', metadata: { team: 'red' } });
  expect(await seen('team/red')).toBe('404,404');
  expect(await seen('name/plated')).toBe('404,404');
  expect(await seen(`name/entity-${entity}`)).toBe('403,403');
  expect(await seen('custom/42')).toBe('403,403');
  await write('entity-alias', { name: alias, mount_accessor: accessor, custom_metadata: { shoe: '42' } });
  expect(await seen('custom/42')).toBe('404,404');
  await write('group/name/plate', { metadata: { room: '*' } });
  expect(await seen('room/r1')).toBe('403,403');
});

test('the policy default lets a token read its own entity, and no other', async () => {
  const [one, two] = [await entityToken(), await entityToken()];
  const own = asking(service, one.token);
  expect((await own('GET', `identity/entity/id/${one.entity}`)).data).toMatchObject({ id: one.entity });
  expect((await own('GET', `identity/entity/name/entity-${one.entity}`)).status).toBe(200);
  expect((await own('GET', `identity/entity/id/${two.entity}`)).status).toBe(403);
  expect((await own('GET', `auth/token/lookup-self`)).data['identity_policies']).toEqual([]);
});

test('a hundred concurrent tokens of a new alias at two processes have one entity', async () => {
  for (let round = 0; round < 3; round += 1) {
    const body = { entity_alias: service.name('rush'), policies: ['default'] };
    const made = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        ask({
          address: n % 2 === 0 ? service.address : other.address,
          token: service.rootToken,
          method: 'POST',
          path: 'auth/token/create/alias',
          body,
        }),
      ),
    );
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(made.map(({ body: reply }) => (reply['auth'] as { entity_id: string }).entity_id)).size).toBe(1);
    const accessor = await accessorOf(service, 'auth', 'token/');
    const found = await write('lookup/entity', { alias_name: body.entity_alias, alias_mount_accessor: accessor });
    expect(found.data['aliases']).toHaveLength(1);
  }
});

test('concurrent circular merges leave one entity with all aliases', async () => {
  const mounts = [await accessorOf(service, 'auth', 'token/'), await accessorOf(service, 'secret', 'secret/')];
  for (let round = 0; round < 5; round += 1) {
    const ids = await Promise.all(
      mounts.map(async (mount_accessor) =>
        String((await write('entity-alias', { name: service.name('ring'), mount_accessor })).data['canonical_id']),
      ),
    );
    const [a = '', b = ''] = ids;
    const merges = await Promise.all(
      [service.address, other.address].map((address, n) =>
        ask({
          address,
          token: service.rootToken,
          method: 'POST',
          path: 'identity/entity/merge',
          body: n === 0 ? { to_entity_id: a, from_entity_ids: [b] } : { to_entity_id: b, from_entity_ids: [a] },
        }),
      ),
    );
    expect(merges.map(({ status }) => status).sort()).toEqual([204, 400]);
    const left = await Promise.all(ids.map((id) => service.ask('GET', `identity/entity/id/${id}`)));
    const [entity] = left.filter(({ status }) => status === 200);
    expect(left.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect(entity?.data['aliases']).toHaveLength(2);
  }
});
