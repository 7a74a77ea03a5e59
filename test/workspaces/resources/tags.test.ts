import { describe, expect, test } from 'vitest';
import { counted } from '#infra/bench/workspaces/statements.ts';
import { otherProcessOf } from '../../support/flow/other-process.ts';
import { type Answer, workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();
const other = otherProcessOf(ground.service);

const named = (...names: readonly unknown[]) => ({
  data: names.map((name) => ({ type: 'tags', attributes: { name } })),
});
const byId = (...ids: readonly string[]) => ({ data: ids.map((id) => ({ type: 'tags', id })) });
const namesIn = ({ items }: Answer) => items.map(({ attributes }) => attributes['name']);

async function stage() {
  const organization = await ground.organization();
  const make = async () => {
    const { id } = await ground.workspace(organization.id, organization.projectId);
    const path = `/workspaces/${id}/relationships/tags`;
    const tags = (method: string, body?: unknown, token?: string) => ground.call(method, path, body, token);
    const names = async (query = '') => namesIn(await ground.call('GET', `${path}?${query}`));
    return { id, path, tags, names };
  };
  const ofOrganization = `/organizations/${organization.name}/tags`;
  const all = (query = '', token?: string) => ground.call('GET', `${ofOrganization}?${query}`, undefined, token);
  return { organization, make, ofOrganization, all };
}

describe('tags of a workspace', () => {
  test('keep the order in which they were added, in lower case and without duplicates', async () => {
    const { organization, make } = await stage();
    const { tags, names } = await make();
    const added = await tags('POST', named('tag2', 'TAG1'));
    expect([added.status, added.text]).toEqual([204, '']);
    await tags('POST', named('tag3', 'tag1', 'Tag2'));
    expect(await names()).toEqual(['tag2', 'tag1', 'tag3']);
    const { items, body } = await tags('GET');
    expect(items[0]).toEqual({
      id: expect.stringMatching(/^tag-\w{16}$/),
      type: 'tags',
      attributes: { name: 'tag2', 'created-at': expect.stringMatching(/Z$/), 'instance-count': 1 },
      relationships: { organization: { data: { id: organization.name, type: 'organizations' } } },
    });
    expect(body?.meta).toMatchObject({ pagination: { 'total-count': 3 } });
    expect(await names('page[size]=1&page[number]=2')).toEqual(['tag1']);
    expect(await names('name=TAG3')).toEqual(['tag3']);
    expect(await names('name=ag1')).toEqual(['tag1']);
    expect(await names('name=t%25g')).toEqual([]);
  });

  test('can be added and removed by id; an unknown name is ignored, an unknown id is not', async () => {
    const { make, all } = await stage();
    const [one, two] = [await make(), await make()];
    await one.tags('POST', named('a', 'b'));
    const { items } = await all();
    const ids = items.map(({ id }) => id);
    expect((await two.tags('POST', byId(...ids))).status).toBe(204);
    expect(await two.names()).toEqual(['a', 'b']);
    for (const method of ['POST', 'DELETE']) expect((await two.tags(method, byId('tag-nothing'))).status).toBe(404);
    expect((await two.tags('DELETE', named('NonExistentTag', 'A'))).status).toBe(204);
    expect((await two.tags('DELETE', byId(ids[1] ?? ''))).status).toBe(204);
    expect([await one.names(), await two.names()]).toEqual([['a', 'b'], []]);
  });

  test.each([
    ['no body', undefined, 400],
    ['texts', { data: ['a'] }, 422],
    ['a number', named(7), 422],
    ['an empty name', named(''), 422],
    ['a space', named('a b'), 422],
    ['a hyphen at the end', named('a-'), 422],
    ['another type', { data: [{ type: 'workspaces', id: 'x' }] }, 422],
    ['a long name', named('x'.repeat(256)), 422],
    ['too many', named(...Array.from({ length: 101 }, (_, at) => `t${at}`)), 422],
  ])('cannot be %s', async (_what, body, status) => {
    const { tags, names } = await (await stage()).make();
    expect((await tags('POST', body)).status).toBe(status);
    expect(await names()).toEqual([]);
  });

  test('are limited to a hundred', async () => {
    const { tags } = await (await stage()).make();
    expect((await tags('POST', named(...Array.from({ length: 100 }, (_, at) => `t${at}`)))).status).toBe(204);
    expect((await tags('POST', named('t7'))).status).toBe(204);
    expect((await tags('POST', named('one-more'))).status).toBe(422);
  });
});

describe('tags of an organization', () => {
  test('are the tags of its workspaces, with the number of workspaces', async () => {
    const { make, all } = await stage();
    const [one, two] = [await make(), await make()];
    await one.tags('POST', named('b', 'a', 'under_score'));
    await two.tags('POST', named('b'));
    const { items, body } = await all();
    expect(items.map(({ attributes }) => [attributes['name'], attributes['instance-count']])).toEqual([
      ['a', 1],
      ['b', 2],
      ['under_score', 1],
    ]);
    expect(body?.meta).toMatchObject({ pagination: { 'total-count': 3 } });
    expect(namesIn(await all('q=R_S'))).toEqual(['under_score']);
    expect(namesIn(await all('q=%25'))).toEqual([]);
    expect(namesIn(await all(`filter[exclude][taggable][id]=${two.id}`))).toEqual(['a', 'under_score']);
    expect(namesIn(await all('page[size]=2&page[number]=2'))).toEqual(['under_score']);
    expect((await all('page[number]=7')).items).toEqual([]);
    await one.tags('DELETE', named('a', 'b'));
    expect(namesIn(await all())).toEqual(['b', 'under_score']);
  });

  test('are removed from all workspaces by managers of workspaces', async () => {
    const { organization, make, ofOrganization, all } = await stage();
    const { id, tags, names } = await make();
    await tags('POST', named('a', 'b'));
    const [a] = (await all()).items;
    const admin = await ground.team(organization.id);
    await ground.grant(admin.id, { workspace: id }, 'admin');
    expect((await ground.call('DELETE', ofOrganization, byId(a?.id ?? ''), admin.token)).status).toBe(404);
    for (const flag of ['manage-workspaces', 'manage-projects'] as const) {
      const manager = await ground.team(organization.id, { flags: [flag] });
      expect((await ground.call('DELETE', ofOrganization, byId(a?.id ?? ''), manager.token)).status, flag).toBe(204);
    }
    expect(await names()).toEqual(['b']);
    const elsewhere = await stage();
    await (await elsewhere.make()).tags('POST', named('kept'));
    const [kept] = (await elsewhere.all()).items;
    await ground.call('DELETE', ofOrganization, byId(kept?.id ?? ''));
    expect(namesIn(await elsewhere.all())).toEqual(['kept']);
  });

  test('are added to several workspaces by an administrator of all of them', async () => {
    const { organization, make, all } = await stage();
    const [one, two, three] = [await make(), await make(), await make()];
    await one.tags('POST', named('a'));
    const [tag] = (await all()).items;
    const path = `/tags/${tag?.id}/relationships/workspaces`;
    const to = (...ids: readonly string[]) => ({ data: ids.map((id) => ({ type: 'workspaces', id })) });
    const admin = await ground.team(organization.id);
    await ground.grant(admin.id, { workspace: two.id }, 'admin');
    await ground.grant(admin.id, { workspace: three.id }, 'write');
    expect((await ground.call('POST', path, to(two.id, three.id), admin.token)).status).toBe(404);
    expect(await two.names()).toEqual([]);
    expect((await ground.call('POST', path, to(two.id), admin.token)).status).toBe(204);
    expect((await ground.call('POST', path, to(three.id, two.id))).status).toBe(204);
    expect([await two.names(), await three.names()]).toEqual([['a'], ['a']]);
    expect((await ground.call('POST', path, to('ws-nobody'))).status).toBe(404);
    expect((await ground.call('POST', '/tags/tag-nothing/relationships/workspaces', to(two.id))).status).toBe(404);
  });

  test('are limited to readable workspaces, and listed in few statements', async () => {
    const { organization, make, all } = await stage();
    const [mine, hidden] = [await make(), await make()];
    await mine.tags('POST', named(...Array.from({ length: 60 }, (_, at) => `mine-${at}`)));
    await hidden.tags('POST', named('secret-project'));
    const reader = await ground.team(organization.id);
    await ground.grant(reader.id, { workspace: mine.id }, 'read');
    const { answer, statements } = await counted(() => all('page[size]=100', reader.token));
    expect(answer.items).toHaveLength(60);
    expect(statements).toBeLessThanOrEqual(6);
    expect(namesIn(answer)).not.toContain('secret-project');
    expect((await mine.tags('POST', named('x'), reader.token)).status).toBe(404);
    expect((await mine.tags('DELETE', named('mine-1'), reader.token)).status).toBe(404);
    expect((await hidden.tags('GET', undefined, reader.token)).status).toBe(404);
    const stranger = await ground.user((await ground.organization()).id);
    expect((await all('', stranger.token)).status).toBe(404);
  });
});

test('a tag removed from one workspace while another adds it is never lost', async () => {
  const { make, all } = await stage();
  const [one, two] = [await make(), await make()];
  const on = (path: string) => `${other.address}/api/v2${path}`;
  for (let round = 0; round < 20; round += 1) {
    await one.tags('POST', named('shared'));
    const [dropped, bound] = await Promise.all([
      one.tags('DELETE', named('shared')),
      ground.call('POST', on(two.path), named('shared')),
    ]);
    expect([dropped.status, bound.status]).toEqual([204, 204]);
    expect(await two.names()).toEqual(['shared']);
    await two.tags('DELETE', named('shared'));
    expect((await all()).items).toEqual([]);
  }
});

test('many concurrent requests that add the same tags all succeed', async () => {
  const { make, all } = await stage();
  const workspaces = await Promise.all(Array.from({ length: 10 }, make));
  const names = ['c', 'a', 'b', 'd'];
  const answers = await Promise.all(
    workspaces.map(({ tags }, at) => tags('POST', named(...(at % 2 === 0 ? names : names.toReversed())))),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
  expect((await all()).items.map(({ attributes }) => attributes['instance-count'])).toEqual([10, 10, 10, 10]);
});
