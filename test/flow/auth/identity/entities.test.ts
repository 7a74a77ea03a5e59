import { beforeAll, describe, expect, test } from 'vitest';
import { accessorOf } from '#test/support/flow/accessors.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf([]);
const write = (path: string, body: object) => service.ask('POST', `identity/${path}`, body);
const read = (path: string) => service.ask('GET', `identity/${path}`);

/** Creates an entity and returns its id. */
async function entity(body: object = {}): Promise<string> {
  return String((await write('entity', body)).data['id']);
}

let accessor: string;
let other: string;
beforeAll(async () => {
  accessor = await accessorOf(service, 'auth', 'token/');
  other = await accessorOf(service, 'secret', 'secret/');
});

describe('an entity', () => {
  test('is made, read, changed and deleted by its id', async () => {
    const made = await write('entity', { name: 'Ada', metadata: { team: 'a' }, policies: ['B', 'a'] });
    expect(made).toMatchObject({ status: 200, data: { name: 'Ada', aliases: null, id: expect.any(String) } });
    const id = String(made.data['id']);
    const { data } = await read(`entity/id/${id}`);
    expect(data).toMatchObject({
      id,
      name: 'Ada',
      metadata: { team: 'a' },
      policies: ['a', 'b'],
      disabled: false,
      aliases: [],
      direct_group_ids: [],
      group_ids: [],
      inherited_group_ids: [],
      namespace_id: 'root',
      bucket_key_hash: expect.stringMatching(/^[0-9a-f]{32}$/),
      merged_entity_ids: null,
    });
    expect(Date.parse(String(data['creation_time']))).not.toBeNaN();
    expect((await write(`entity/id/${id}`, { name: 'ada-2', disabled: true })).data).toMatchObject({ id });
    expect((await read('entity/name/ADA-2')).data).toMatchObject({ id, disabled: true, metadata: { team: 'a' } });
    expect((await service.ask('DELETE', `identity/entity/id/${id}`)).status).toBe(204);
    expect((await read(`entity/id/${id}`)).status).toBe(404);
    expect((await service.ask('DELETE', `identity/entity/id/${id}`)).status).toBe(204);
  });

  test.each(['entity', 'group'])('%s names in a path do not end in a period', async (kind) => {
    const name = service.name('period.');
    const path = `identity/${kind}/name/${name}.`;
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await service.ask(method, path, method === 'POST' ? {} : undefined);
      expect(answer).toMatchObject({ status: 404, body: { errors: [expect.stringContaining('unsupported path')] } });
    }
    expect((await write(`${kind}/name/${name}.x`, {})).data).toHaveProperty('id');
  });

  test('that is written again by its id returns the id, and an alias without custom metadata loses it', async () => {
    const id = await entity();
    expect((await write('entity', { id, policies: ['q'] })).data).toMatchObject({ id });
    await service.ask('POST', 'sys/auth/cleared', { type: 'userpass' });
    const { accessor } = (await service.ask('GET', 'sys/auth/cleared')).data;
    const alias = { name: 'ada', mount_accessor: accessor, canonical_id: id };
    const made = await write('entity-alias', { ...alias, custom_metadata: { a: '1' } });
    const custom = async () => (await read(`entity-alias/id/${made.data['id']}`)).data['custom_metadata'];
    expect(await custom()).toEqual({ a: '1' });
    await write('entity-alias', alias);
    expect(await custom()).toEqual({});
  });

  test('without metadata is shown without metadata', async () => {
    const id = await entity();
    expect((await read(`entity/id/${id}`)).data['metadata']).toEqual({});
  });

  test('with a name is created once and then updated, in any case', async () => {
    const first = await write('entity/name/some.one@example.com', { metadata: { a: '1' } });
    const second = await write('entity', { name: 'Some.One@example.com', policies: ['p'] });
    expect(second).toMatchObject({ status: 204, body: {} });
    expect((await write('entity/name/SOME.one@example.com', {})).status).toBe(204);
    const there = await read(`entity/id/${first.data['id']}`);
    expect(there.data).toMatchObject({ name: 'some.one@example.com', policies: ['p'] });
    expect((await read('entity/name/some.one@example.com')).data).toMatchObject({
      policies: ['p'],
      metadata: { a: '1' },
    });
    expect((await service.ask('DELETE', 'identity/entity/name/SOME.one@example.com')).status).toBe(204);
    expect((await read('entity/name/some.one@example.com')).status).toBe(404);
  });

  test('without a name gets one', async () => {
    const { data } = await write('entity', {});
    expect(data['name']).toBe(`entity-${data['id']}`);
  });

  test.each<[Record<string, unknown>, string]>([
    [{ id: 'none' }, 'entity not found from id'],
    [{ policies: ['Root '] }, 'policies cannot contain root'],
    [{ policies: 'response-wrapping' }, 'policies cannot contain response-wrapping'],
    [{ metadata: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`k${n}`, ''])) }, 'at most 64 entries'],
    [{ metadata: { a: 'x'.repeat(513) } }, 'at most 512 characters'],
    [{ name: 'x'.repeat(513) }, 'at most 512 characters'],
    [{ name: 'nul\0' }, 'cannot be stored'],
    [{ metadata: { a: '\ud800' } }, 'surrogate'],
    [{ metadata: { a: 'nul\0' } }, 'cannot be stored'],
    [{ metadata: 7 }, 'metadata'],
    [{ disabled: 'perhaps' }, 'disabled'],
  ])('is refused with %j', async (body, problem) => {
    const answer = await write('entity', body);
    expect([answer.status, answer.errors.join()]).toEqual([400, expect.stringContaining(problem)]);
  });

  test('cannot have the name of another', async () => {
    await entity({ name: 'taken' });
    const id = await entity({ name: 'not-taken' });
    expect(await write(`entity/id/${id}`, { name: 'Taken' })).toMatchObject({
      status: 400,
      errors: ['entity name is already in use'],
    });
  });

  test('can be deleted many at once', async () => {
    const ids = await Promise.all([entity(), entity()]);
    expect(await write('entity/batch-delete', {})).toMatchObject({
      status: 400,
      errors: ['missing entity ids to delete'],
    });
    expect((await write('entity/batch-delete', { entity_ids: [...ids, 'none'] })).status).toBe(204);
    for (const id of ids) expect((await read(`entity/id/${id}`)).status).toBe(404);
  });
});

describe('entities', () => {
  test('are listed with their aliases, page by page, and found by name and metadata', async () => {
    for (const n of [1, 2, 3]) await entity({ name: `list-${n}`, metadata: { row: String(n), of: 'list' } });
    const id = String((await read('entity/name/list-1')).data['id']);
    await write('entity-alias', { name: 'list-one', mount_accessor: accessor, canonical_id: id });
    const all = await service.ask('LIST', 'identity/entity/id');
    expect((all.data['keys'] as string[]).length).toBeGreaterThanOrEqual(3);
    expect((all.data['key_info'] as Record<string, object>)[id]).toMatchObject({
      name: 'list-1',
      aliases: [{ name: 'list-one', mount_accessor: accessor, mount_path: 'auth/token/', mount_type: 'token' }],
    });
    const names = async (query: string) => (await read(`entity/name?list=true&${query}`)).data['keys'];
    expect(await names('name=LIST-')).toEqual(['list-1', 'list-2', 'list-3']);
    expect(await names('name=list-&limit=2')).toEqual(['list-1', 'list-2']);
    expect(await names('name=list-&after=list-2')).toEqual(['list-3']);
    expect(await names('metadata=of=list,row=2')).toEqual(['list-2']);
    expect((await read('entity/name?list=true&name=nobody')).status).toBe(404);
  });
});

describe('an alias', () => {
  test('is made, read, listed, moved and deleted', async () => {
    const [one, two] = await Promise.all([entity(), entity()]);
    const body = { name: 'Web-1', mount_accessor: accessor, canonical_id: one, custom_metadata: { a: '1' } };
    const made = await write('entity-alias', body);
    expect(made).toMatchObject({ status: 200, data: { canonical_id: one } });
    const id = String(made.data['id']);
    expect((await read(`entity-alias/id/${id}`)).data).toMatchObject({
      id,
      canonical_id: one,
      name: 'Web-1',
      mount_accessor: accessor,
      mount_path: 'auth/token/',
      custom_metadata: { a: '1' },
      metadata: {},
      local: false,
      merged_from_canonical_ids: null,
    });
    const listed = await service.ask('LIST', 'identity/entity-alias/id');
    expect((listed.data['key_info'] as Record<string, object>)[id]).toMatchObject({ canonical_id: one });
    expect((await write('entity-alias', { ...body, name: 'web-1', canonical_id: two })).data).toMatchObject({
      id,
      canonical_id: two,
    });
    expect((await read(`entity/id/${one}`)).data['aliases']).toEqual([]);
    expect((await service.ask('DELETE', `identity/entity-alias/id/${id}`)).status).toBe(204);
    expect((await read(`entity-alias/id/${id}`)).status).toBe(404);
    expect((await read(`entity/id/${two}`)).status).toBe(200);
  });

  test('is the only one of its entity at a mount', async () => {
    const id = await entity();
    await write('entity-alias', { name: 'first', mount_accessor: accessor, canonical_id: id });
    expect(await write('entity-alias', { name: 'second', mount_accessor: accessor, canonical_id: id })).toMatchObject({
      status: 400,
      errors: ['Alias already exists for requested entity and mount accessor'],
    });
    const elsewhere = await write('entity-alias', { name: 'second', mount_accessor: other, canonical_id: id });
    expect(elsewhere.status).toBe(200);
  });

  test('without an entity gets a new one', async () => {
    const { data } = await write('entity-alias', { name: 'alone', mount_accessor: accessor });
    expect((await read(`entity/id/${data['canonical_id']}`)).data['aliases']).toMatchObject([{ name: 'alone' }]);
  });

  test.each([
    [{ name: 'x' }, "'id' or 'mount_accessor' and 'name' must be provided"],
    [{ name: 'x', mount_accessor: 'no' }, 'invalid mount accessor "no"'],
    [{ name: 'x', mount_accessor: '$', canonical_id: 'no' }, 'invalid canonical ID'],
    [{ id: 'no', name: 'x' }, 'invalid alias ID'],
  ])('is refused with %j', async (body, problem) => {
    const asked = {
      ...body,
      ...('mount_accessor' in body && body.mount_accessor === '$' ? { mount_accessor: accessor } : {}),
    };
    expect(await write('entity-alias', asked)).toMatchObject({ status: 400, errors: [problem] });
  });
});

test('an entity is looked up by its id, name and aliases; the reply is empty when there is none', async () => {
  const id = await entity({ name: 'seeker' });
  const { data } = await write('entity-alias', { name: 'Seek', mount_accessor: accessor, canonical_id: id });
  const keys = [{ id }, { name: 'SEEKER' }, { alias_id: data['id'] }];
  for (const key of [...keys, { alias_name: 'seek', alias_mount_accessor: accessor }]) {
    expect((await write('lookup/entity', key)).data).toMatchObject({ id });
  }
  expect((await write('lookup/entity', { name: 'nobody' })).status).toBe(204);
  expect((await write('lookup/entity', {})).errors).toEqual(['query parameter not supplied']);
  expect((await write('lookup/entity', { alias_name: 'a' })).errors).toEqual([
    "both 'alias_name' and 'alias_mount_accessor' needs to be set",
  ]);
});

describe('a merge', () => {
  test('leaves one entity, with the aliases, groups and former ids of the others, and its own policies', async () => {
    const [to, from] = [await entity({ policies: ['mine'] }), await entity({ policies: ['theirs'] })];
    await write('entity-alias', { name: 'merged', mount_accessor: accessor, canonical_id: from });
    const group = await write('group', { member_entity_ids: [from] });
    const older = await entity();
    expect((await write('entity/merge', { from_entity_ids: [older], to_entity_id: from })).status).toBe(204);
    expect((await write('entity/merge', { from_entity_ids: from, to_entity_id: to })).status).toBe(204);
    const { data } = await read(`entity/id/${to}`);
    expect(data).toMatchObject({ policies: ['mine'], group_ids: [group.data['id']] });
    expect(data['aliases']).toMatchObject([{ name: 'merged', canonical_id: to, merged_from_canonical_ids: [from] }]);
    expect(data['merged_entity_ids']).toEqual([from, older].sort());
    expect((await read(`entity/id/${from}`)).status).toBe(404);
  });

  test('of aliases at one mount has to name the one to keep', async () => {
    const [to, from] = [await entity({ name: 'keeper' }), await entity({ name: 'given' })];
    const ids = [];
    for (const [name, id] of [
      ['kept', to],
      ['lost', from],
    ] as const) {
      ids.push((await write('entity-alias', { name, mount_accessor: accessor, canonical_id: id })).data['id']);
    }
    const clash = await write('entity/merge', { from_entity_ids: [from], to_entity_id: to });
    expect(clash.status).toBe(400);
    expect(clash.errors[0]).toMatch(/^toEntity and at least one fromEntity have aliases with the same mount accessor/);
    expect(clash.body['data']).toMatchObject([
      { entity: 'keeper', entity_id: to, alias: 'kept', mount: 'token', mount_path: 'auth/token/' },
      { entity: 'given', entity_id: from, alias: 'lost' },
    ]);
    const keep = { from_entity_ids: [from], to_entity_id: to, conflicting_alias_ids_to_keep: [ids[1]] };
    expect((await write('entity/merge', keep)).status).toBe(204);
    expect((await read(`entity/id/${to}`)).data['aliases']).toMatchObject([{ name: 'lost', id: ids[1] }]);
  });

  test.each([
    [{}, 'missing entity id to merge to'],
    [{ to_entity_id: 'a' }, 'missing entity ids to merge from'],
    [{ to_entity_id: 'a', from_entity_ids: ['b'] }, 'entity id to merge to is invalid'],
    [{ to_entity_id: '$', from_entity_ids: ['b'] }, 'entity id to merge from is invalid'],
    [{ to_entity_id: 'a', from_entity_ids: ['a'] }, 'to_entity_id should not be present in from_entity_ids'],
  ])('is refused with %j', async (body, problem) => {
    const asked = {
      ...body,
      ...('to_entity_id' in body && body.to_entity_id === '$' ? { to_entity_id: await entity() } : {}),
    };
    expect(await write('entity/merge', asked)).toMatchObject({ status: 400, errors: [problem] });
  });
});
