import { expect, test } from 'vitest';
import { documentOf, relatedId } from '../support/documents.ts';
import { type Item, workspaceGround } from '../support/ground.ts';

// A provider creates a resource with the fewest arguments, reads it back and compares: attributes that it did not set must be the same after the
// creation, in a read, and after an empty update.
const ground = workspaceGround();
const of = (type: string, id: string) => ({ type, id });

async function stage() {
  const { id, name, projectId } = await ground.organization();
  const [team, workspace] = [await ground.team(id), await ground.workspace(id, projectId)];
  return { name, projectId, team: team.id, workspace: workspace.id, at: `/organizations/${name}` };
}
type Stage = Awaited<ReturnType<typeof stage>>;

/** The request that creates a resource, and the address of the resource. */
interface Making {
  readonly type: string;
  readonly path: (stage: Stage) => string;
  readonly attributes: object;
  readonly related?: (stage: Stage) => Readonly<Record<string, unknown>>;
  readonly one: (item: Item, stage: Stage) => string;
}

const byId = (type: string) => (item: Item) => `/${type}/${item.id}`;
const hook = { name: 'n', 'destination-type': 'generic', enabled: false, url: 'https://a.test' };

const makings: readonly Making[] = [
  { type: 'projects', path: ({ at }) => `${at}/projects`, attributes: { name: 'one' }, one: byId('projects') },
  { type: 'workspaces', path: ({ at }) => `${at}/workspaces`, attributes: { name: 'one' }, one: byId('workspaces') },
  { type: 'teams', path: ({ at }) => `${at}/teams`, attributes: { name: 'one' }, one: byId('teams') },
  { type: 'varsets', path: ({ at }) => `${at}/varsets`, attributes: { name: 'one' }, one: byId('varsets') },
  { type: 'agent-pools', path: ({ at }) => `${at}/agent-pools`, attributes: { name: 'one' }, one: byId('agent-pools') },
  {
    type: 'ssh-keys',
    path: ({ at }) => `${at}/ssh-keys`,
    attributes: { name: 'one', value: 'x' },
    one: byId('ssh-keys'),
  },
  {
    type: 'vars',
    path: ({ workspace }) => `/workspaces/${workspace}/vars`,
    attributes: { key: 'one', category: 'env' },
    one: ({ id }, { workspace }) => `/workspaces/${workspace}/vars/${id}`,
  },
  {
    type: 'team-workspaces',
    path: () => '/team-workspaces',
    attributes: { access: 'read' },
    related: ({ team, workspace }) => ({ team: of('teams', team), workspace: of('workspaces', workspace) }),
    one: byId('team-workspaces'),
  },
  {
    type: 'team-projects',
    path: () => '/team-projects',
    attributes: { access: 'read', 'project-access': {}, 'workspace-access': {} },
    related: ({ team, projectId }) => ({ team: of('teams', team), project: of('projects', projectId) }),
    one: byId('team-projects'),
  },
  ...(['workspaces', 'projects', 'teams'] as const).map((owner) => ({
    type: 'notification-configurations',
    attributes: hook,
    one: byId('notification-configurations'),
    path: ({ workspace, projectId, team }: Stage) =>
      `/${owner}/${{ workspaces: workspace, projects: projectId, teams: team }[owner]}/notification-configurations`,
  })),
];

test.each(makings)('$type are the same after creation, read and empty update', async (making) => {
  const place = await stage();
  const body = documentOf(making.type, making.attributes, making.related?.(place));
  const made = await ground.call('POST', making.path(place), body);
  expect([200, 201], made.text).toContain(made.status);
  const read = await ground.call('GET', making.one(made.item, place));
  expect(read.item).toEqual(made.item);
  const changed = await ground.call('PATCH', making.one(made.item, place), documentOf(making.type, {}));
  expect(changed.status, changed.text).toBe(200);
  // Markers of changes. Providers treat them as computed.
  const {
    'updated-at': _updated,
    'latest-change-at': _latest,
    'version-id': _version,
    ...after
  } = changed.item.attributes;
  expect(made.item.attributes).toMatchObject(after);
});

test('an organization is the same after its creation', async () => {
  const name = ground.service.name('fewest');
  const made = await ground.call('POST', '/organizations', documentOf('organizations', { name, email: 'a@b.test' }));
  expect((await ground.call('GET', `/organizations/${name}`)).item).toEqual(made.item);
  const changed = await ground.call('PATCH', `/organizations/${name}`, documentOf('organizations', {}));
  expect(changed.item).toEqual(made.item);
});

test('a workspace accepts its agent pool and its project as relationships', async () => {
  const { at, projectId } = await stage();
  const pool = await ground.call('POST', `${at}/agent-pools`, documentOf('agent-pools', { name: 'one' }));
  const byRelation = { 'agent-pool': of('agent-pools', pool.item.id) };
  const overwrites = (own: boolean) => ({ 'setting-overwrites': { 'execution-mode': own, 'agent-pool': own } });
  const agent = { name: 'agent', 'execution-mode': 'agent', ...overwrites(true) };
  const made = await ground.call('POST', `${at}/workspaces`, documentOf('workspaces', agent, byRelation));
  expect(made.status, made.text).toBe(201);
  expect(made.item.relationships['agent-pool']?.data).toEqual(of('agent-pools', pool.item.id));

  const body = documentOf('workspaces', { name: 'plain', ...overwrites(false) }, { project: { id: projectId } });
  const plain = await ground.call('POST', `${at}/workspaces`, body);
  expect(plain.status, plain.text).toBe(201);
  const attributes = { 'execution-mode': 'agent', 'setting-overwrites': { 'agent-pool': true } };
  const path = `/workspaces/${plain.item.id}`;
  const changed = await ground.call('PATCH', path, documentOf('workspaces', attributes, byRelation));
  expect(changed.status, changed.text).toBe(200);
  expect(relatedId((await ground.call('GET', path)).item, 'agent-pool')).toBe(pool.item.id);
});

test('tag names are in the attribute that the provider reads', async () => {
  const { workspace } = await stage();
  const tags = { data: [{ type: 'tags', attributes: { name: 'one' } }] };
  expect((await ground.call('POST', `/workspaces/${workspace}/relationships/tags`, tags)).status).toBe(204);
  const { item } = await ground.call('GET', `/workspaces/${workspace}`);
  expect(item.attributes).toMatchObject({ 'tag-names': ['one'] });
  // The provider would read a relationship without names as "no tags".
  expect(item.relationships).not.toHaveProperty('tags');
});
