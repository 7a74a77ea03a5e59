import { describe, expect, test } from 'vitest';
import { accessorOf } from '#test/support/flow/accessors.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf([]);
const write = (path: string, body: object) => service.ask('POST', `identity/${path}`, body);
const read = (path: string) => service.ask('GET', `identity/${path}`);
const made = async (path: string, body: object) => String((await write(path, body)).data['id']);

const accessorOfTokens = () => accessorOf(service, 'auth', 'token/');

describe('a group', () => {
  test('is made, read, changed, listed and deleted', async () => {
    const [one, two] = [await made('entity', {}), await made('entity', {})];
    const answer = await write('group', {
      name: 'Team',
      member_entity_ids: [one],
      policies: ['P'],
      metadata: { a: '1' },
    });
    expect(answer).toMatchObject({ status: 200, data: { name: 'Team' } });
    const id = String(answer.data['id']);
    expect((await read(`group/id/${id}`)).data).toMatchObject({
      id,
      name: 'Team',
      type: 'internal',
      policies: ['p'],
      metadata: { a: '1' },
      member_entity_ids: [one],
      member_group_ids: null,
      parent_group_ids: [],
      alias: {},
      namespace_id: 'root',
    });
    expect(await write('group/name/team', { member_entity_ids: [two] })).toMatchObject({ status: 204, body: {} });
    expect(await write('group', { name: 'TEAM' })).toMatchObject({ status: 204, body: {} });
    expect((await write(`group/id/${id}`, {})).data).toMatchObject({ id });
    expect((await read('group/name/TEAM')).data).toMatchObject({ member_entity_ids: [two], policies: ['p'] });
    expect((await write('lookup/group', { name: 'team' })).data).toMatchObject({ id });
    expect((await service.ask('LIST', 'identity/group/name')).data['keys']).toContain('Team');
    expect((await service.ask('LIST', 'identity/group/id')).data['key_info']).toMatchObject({ [id]: { name: 'Team' } });
    expect((await service.ask('DELETE', `identity/group/id/${id}`)).status).toBe(204);
    expect((await read(`group/id/${id}`)).status).toBe(404);
    expect((await write('lookup/group', { name: 'team' })).status).toBe(204);
  });

  test('gives its entities the policies of the groups that contain it', async () => {
    const entity = await made('entity', {});
    const inner = await made('group', { member_entity_ids: [entity] });
    const middle = await made('group', { member_group_ids: [inner] });
    const outer = await made('group', { member_group_ids: [middle] });
    expect((await read(`entity/id/${entity}`)).data).toMatchObject({
      direct_group_ids: [inner],
      inherited_group_ids: [middle, outer].sort(),
      group_ids: [inner, middle, outer].sort(),
    });
    expect((await read(`group/id/${middle}`)).data).toMatchObject({
      member_group_ids: [inner],
      parent_group_ids: [outer],
    });
    for (const member of [inner, outer, middle]) {
      const ring = await write(`group/id/${inner}`, { member_group_ids: [outer, member] });
      expect([ring.status, ring.errors[0]]).toEqual([400, expect.stringMatching(/^cyclic relationship detected/)]);
    }
  });

  test('of two that complete a cycle at the same time one is refused', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [a, b] = [await made('group', {}), await made('group', {})];
      const answers = await Promise.all([
        write(`group/id/${a}`, { member_group_ids: [b] }),
        write(`group/id/${b}`, { member_group_ids: [a] }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    }
  });

  test.each([
    [{ type: 'other' }, /invalid group type/],
    [{ type: 'external', member_entity_ids: ['x'] }, /can't be set manually/],
    [{ member_entity_ids: ['none'] }, /invalid entity ID "none"/],
    [{ member_group_ids: ['none'] }, /invalid group ID "none"/],
    [{ policies: 'root' }, /policies cannot contain root/],
    [{ id: 'none' }, /invalid group ID/],
    [{ member_entity_ids: { a: 1 } }, /member_entity_ids/],
  ])('is refused with %j', async (body, problem) => {
    const answer = await write('group', body);
    expect([answer.status, answer.errors.join()]).toEqual([400, expect.stringMatching(problem)]);
  });

  test('keeps its type and cannot have the name of another', async () => {
    const id = await made('group', { name: 'typed' });
    expect((await write(`group/id/${id}`, { type: 'external' })).errors).toEqual(['group type cannot be changed']);
    const other = await made('group', { name: 'other-name' });
    expect((await write(`group/id/${other}`, { name: 'TYPED' })).errors).toEqual(['group name is already in use']);
  });
});

describe('an alias of a group', () => {
  test('belongs to an external group, which has one alias', async () => {
    const mount_accessor = await accessorOfTokens();
    const external = await made('group', { type: 'external' });
    const internal = await made('group', {});
    const alias = await write('group-alias', { name: 'Admins', mount_accessor, canonical_id: external });
    expect(alias).toMatchObject({ status: 200, data: { canonical_id: external } });
    const id = String(alias.data['id']);
    expect((await read(`group-alias/id/${id}`)).data).toMatchObject({ name: 'Admins', mount_path: 'auth/token/' });
    expect((await read(`group/id/${external}`)).data['alias']).toMatchObject({ id, name: 'Admins' });
    expect(
      (await write('lookup/group', { alias_name: 'admins', alias_mount_accessor: mount_accessor })).data,
    ).toMatchObject({
      id: external,
    });
    expect((await write('group-alias', { name: 'b', mount_accessor, canonical_id: external })).status).toBe(400);
    expect((await write('group-alias', { name: 'c', mount_accessor, canonical_id: internal })).errors).toEqual([
      "alias can't be set on an internal group",
    ]);
    expect((await write(`group-alias/id/${id}`, { name: 'renamed' })).data).toMatchObject({ id });
    expect((await service.ask('LIST', 'identity/group-alias/id')).data['key_info']).toMatchObject({
      [id]: { name: 'renamed', canonical_id: external },
    });
    expect((await service.ask('DELETE', `identity/group-alias/id/${id}`)).status).toBe(204);
    expect((await read(`group/id/${external}`)).data['alias']).toEqual({});
    const fresh = await write('group-alias', { name: 'fresh', mount_accessor });
    expect((await read(`group/id/${fresh.data['canonical_id']}`)).data).toMatchObject({ type: 'external' });
  });
});
