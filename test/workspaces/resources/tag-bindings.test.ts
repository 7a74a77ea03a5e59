import { describe, expect, test } from 'vitest';
import { type Answer, workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();

const bindings = (...pairs: readonly (readonly [string, unknown?])[]) => ({
  data: pairs.map(([key, value]) => ({ type: 'tag-bindings', attributes: { key, value } })),
});

const pairsIn = ({ items }: Answer) => items.map(({ attributes }) => [attributes['key'], attributes['value']]);

async function stage() {
  const organization = await ground.organization();
  const workspace = await ground.workspace(organization.id, organization.projectId);
  const ofWorkspace = `/workspaces/${workspace.id}`;
  const ofProject = `/projects/${organization.projectId}`;
  return { organization, workspace, ofWorkspace, ofProject };
}

describe.each(['ofWorkspace', 'ofProject'] as const)('bindings %s', (kind) => {
  test('are added at one address and replaced at the other, in the order of the request', async () => {
    const { [kind]: path } = await stage();
    const added = await ground.call('PATCH', `${path}/tag-bindings`, bindings(['b', '1'], ['a', '2']));
    expect([added.status, pairsIn(added)]).toEqual([
      200,
      [
        ['b', '1'],
        ['a', '2'],
      ],
    ]);
    expect(added.items[0]).toEqual({
      id: expect.stringMatching(/^tb-\w{16}$/),
      type: 'tag-bindings',
      attributes: { key: 'b', value: '1', 'created-at': expect.stringMatching(/Z$/) },
    });
    const merged = await ground.call('PATCH', `${path}/tag-bindings`, bindings(['c'], ['b', '3']));
    expect(pairsIn(merged)).toEqual([
      ['b', '3'],
      ['a', '2'],
      ['c', ''],
    ]);
    expect(merged.items[0]?.id).toBe(added.items[0]?.id);
    expect((await ground.call('POST', `${path}/relationships/tag-bindings`, bindings(['d', 'x']))).status).toBe(204);
    expect(pairsIn(await ground.call('GET', `${path}/relationships/tag-bindings`))).toHaveLength(4);
    const replaced = await ground.call('PATCH', `${path}/relationships/tag-bindings`, bindings(['e', 'y'], ['a', 'z']));
    expect([replaced.status, replaced.text]).toEqual([204, '']);
    expect(pairsIn(await ground.call('GET', `${path}/tag-bindings`))).toEqual([
      ['a', 'z'],
      ['e', 'y'],
    ]);
    await ground.call('PATCH', `${path}/relationships/tag-bindings`, { data: [] });
    expect((await ground.call('GET', `${path}/tag-bindings`)).items).toEqual([]);
  });

  test.each([
    ['no body', undefined, 400],
    ['an object', { data: {} }, 422],
    ['no key', { data: [{ type: 'tag-bindings' }] }, 422],
    ['an empty key', bindings(['']), 422],
    ['a number for a key', { data: [{ attributes: { key: 7 } }] }, 422],
    ['a number for a value', bindings(['a', 7]), 422],
    ['a key that is too long', bindings(['k'.repeat(129)]), 422],
    ['a value that is too long', bindings(['k', 'v'.repeat(257)]), 422],
    ['a key with an invalid character', bindings(['a/b']), 422],
    ['a reserved key', bindings(['hcp:x']), 422],
    ['another type', { data: [{ type: 'tags', attributes: { key: 'a' } }] }, 422],
    ['a key twice', bindings(['a', '1'], ['a', '2']), 422],
    ['eleven', bindings(...Array.from({ length: 11 }, (_, at) => [`k${at}`] as const)), 422],
  ])('cannot be %s', async (_what, body, status) => {
    const { [kind]: path } = await stage();
    for (const [method, below] of [
      ['PATCH', 'tag-bindings'],
      ['PATCH', 'relationships/tag-bindings'],
      ['POST', 'relationships/tag-bindings'],
    ] as const)
      expect((await ground.call(method, `${path}/${below}`, body)).status).toBe(status);
    expect((await ground.call('GET', `${path}/tag-bindings`)).items).toEqual([]);
  });

  test('can have the longest keys and values, with all allowed characters', async () => {
    const { [kind]: path } = await stage();
    const pairs = [
      ['k'.repeat(128), 'v'.repeat(256)],
      ['aZ9_.=+-@:', '_.=+-@:'],
    ] as const;
    expect(pairsIn(await ground.call('PATCH', `${path}/tag-bindings`, bindings(...pairs)))).toEqual(pairs);
  });

  test('are limited to ten, even for concurrent requests', async () => {
    const { [kind]: path } = await stage();
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, at) => ground.call('PATCH', `${path}/tag-bindings`, bindings([`k${at}`]))),
    );
    const refused = answers.filter(({ status }) => status === 422);
    expect(refused).toHaveLength(4);
    expect(refused[0]?.errors[0]?.detail).toBe('cannot exceed 10 bindings per resource');
    expect((await ground.call('GET', `${path}/tag-bindings`)).items).toHaveLength(10);
  });
});

describe('effective bindings', () => {
  test('are the own bindings, and those of the project with other keys', async () => {
    const { organization, ofWorkspace, ofProject } = await stage();
    await ground.call('PATCH', `${ofProject}/tag-bindings`, bindings(['env', 'dev'], ['team', 'net']));
    await ground.call('PATCH', `${ofWorkspace}/tag-bindings`, bindings(['zone', 'a'], ['env', 'prod']));
    const { items } = await ground.call('GET', `${ofWorkspace}/effective-tag-bindings`);
    expect(items.map(({ type, attributes, links }) => [type, attributes['key'], attributes['value'], links])).toEqual([
      ['effective-tag-bindings', 'zone', 'a', undefined],
      ['effective-tag-bindings', 'env', 'prod', undefined],
      ['effective-tag-bindings', 'team', 'net', { 'inherited-from': `/api/v2/projects/${organization.projectId}` }],
    ]);
    expect(items[2]?.relationships['inherited-from']?.data).toEqual({ id: organization.projectId, type: 'projects' });
    const ofProjectAlone = await ground.call('GET', `${ofProject}/effective-tag-bindings`);
    expect(pairsIn(ofProjectAlone)).toEqual([
      ['env', 'dev'],
      ['team', 'net'],
    ]);
    expect(ofProjectAlone.items[0]).not.toHaveProperty('links');
  });
});

describe('rights on bindings', () => {
  test('readers read, administrators change, and users of other organizations get 404', async () => {
    const { organization, workspace, ofWorkspace, ofProject } = await stage();
    const reader = await ground.team(organization.id);
    await ground.grant(reader.id, { workspace: workspace.id }, 'write');
    const admin = await ground.team(organization.id);
    await ground.grant(admin.id, { workspace: workspace.id }, 'admin');
    const change = (path: string, token: string) =>
      ground.call('PATCH', `${path}/tag-bindings`, bindings(['a']), token);
    expect((await ground.call('GET', `${ofWorkspace}/tag-bindings`, undefined, reader.token)).status).toBe(200);
    expect((await ground.call('GET', `${ofProject}/effective-tag-bindings`, undefined, reader.token)).status).toBe(200);
    expect((await change(ofWorkspace, reader.token)).status).toBe(404);
    expect((await change(ofWorkspace, admin.token)).status).toBe(200);
    expect((await change(ofProject, admin.token)).status).toBe(404);
    const manager = await ground.team(organization.id, { flags: ['manage-projects'] });
    expect((await change(ofProject, manager.token)).status).toBe(200);
    const stranger = await ground.user((await ground.organization()).id);
    for (const path of [ofWorkspace, ofProject])
      for (const below of ['tag-bindings', 'relationships/tag-bindings', 'effective-tag-bindings'])
        expect((await ground.call('GET', `${path}/${below}`, undefined, stranger.token)).status).toBe(404);
  });
});
