import { expect, test } from 'vitest';
import { workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();

const set = (attributes: object, relationships?: object) => ({ data: { type: 'varsets', attributes, relationships } });
const linked = (type: string, ...ids: string[]) => ({ data: ids.map((id) => ({ type, id })) });
const variable = (key: string, value: string) => ({ type: 'vars', attributes: { key, value, category: 'env' } });

async function newPlace() {
  const organization = await ground.organization();
  const workspace = await ground.workspace(organization.id, organization.projectId);
  return { organization, workspace, sets: `/organizations/${organization.name}/varsets` };
}

test('a set is created with variables and workspaces, read, updated and deleted', async () => {
  const { sets, workspace } = await newPlace();
  const relationships = { workspaces: linked('workspaces', workspace.id), vars: { data: [variable('A', '1')] } };
  const made = await ground.call('POST', sets, set({ name: 'common', description: 'for all' }, relationships));
  expect(made.status).toBe(201);
  expect(made.item).toMatchObject({
    type: 'varsets',
    attributes: { name: 'common', global: false, priority: false, 'var-count': 1, 'workspace-count': 1 },
    relationships: { workspaces: { data: [{ id: workspace.id }] } },
  });
  const one = `/varsets/${made.item.id}`;
  const shown = await ground.call('GET', `${one}?include=vars,workspaces`);
  expect(shown.item).toEqual(made.item);
  expect(shown.body?.included?.map(({ type }) => type)).toEqual(['vars', 'workspaces']);
  const changed = await ground.call('PATCH', one, set({ name: 'other' }, { workspaces: { data: [] } }));
  expect(changed.item.attributes).toMatchObject({ name: 'other', description: 'for all', 'workspace-count': 0 });
  expect((await ground.call('GET', `${sets}?q=oth`)).items).toHaveLength(1);
  expect((await ground.call('DELETE', one)).status).toBe(204);
  expect((await ground.call('GET', one)).status).toBe(404);
});

test('its variables are created, updated and deleted, and it applies to the requested workspaces and projects', async () => {
  const { organization, sets, workspace } = await newPlace();
  const { item } = await ground.call('POST', sets, set({ name: 's' }));
  const vars = `/varsets/${item.id}/relationships/vars`;
  const made = await ground.call('POST', vars, { data: variable('A', '1') });
  expect(made.status).toBe(201);
  expect(made.item.relationships).toMatchObject({ varset: { data: { id: item.id, type: 'varsets' } } });
  const changed = await ground.call('PATCH', `${vars}/${made.item.id}`, {
    data: { type: 'vars', attributes: { value: '2' } },
  });
  expect(changed.item.attributes['value']).toBe('2');
  expect((await ground.call('GET', vars)).items).toEqual([changed.item]);
  for (const [type, id] of [['workspaces', workspace.id] as const, ['projects', organization.projectId] as const]) {
    const path = `/varsets/${item.id}/relationships/${type}`;
    expect((await ground.call('POST', path, linked(type, id))).status).toBe(204);
    expect((await ground.call('GET', `/${type}/${id}/varsets`)).items.map((one) => one.id)).toEqual([item.id]);
    expect((await ground.call('DELETE', path, linked(type, id))).status).toBe(204);
    expect((await ground.call('GET', `/${type}/${id}/varsets`)).items).toEqual([]);
  }
  expect((await ground.call('DELETE', `${vars}/${made.item.id}`)).status).toBe(204);
});

test('a reference to another organization is refused, and the request changes nothing', async () => {
  const { sets, workspace } = await newPlace();
  const { workspace: other } = await newPlace();
  const { item } = await ground.call('POST', sets, set({ name: 's' }));
  const path = `/varsets/${item.id}/relationships/workspaces`;
  expect((await ground.call('POST', path, linked('workspaces', workspace.id, other.id))).status).toBe(422);
  expect((await ground.call('GET', `/varsets/${item.id}`)).item.attributes['workspace-count']).toBe(0);
  const taken = await ground.call('POST', sets, set({ name: 'S' }));
  expect(taken.errors[0]?.detail).toBe('Name has already been taken');
  const twice = set({ name: 'twice' }, { vars: { data: [variable('A', '1'), variable('A', '2')] } });
  expect((await ground.call('POST', sets, twice)).errors[0]?.detail).toBe('Key has already been taken');
});

test('the most specific value of each key applies to a workspace, except that sets with priority override all others', async () => {
  const { organization, sets, workspace } = await newPlace();
  const own = `/workspaces/${workspace.id}`;
  const project = linked('projects', organization.projectId);
  const add = (name: string, more: object, relationships: object, ...keys: string[]) =>
    ground.call(
      'POST',
      sets,
      set({ name, ...more }, { ...relationships, vars: { data: keys.map((key) => variable(key, name)) } }),
    );
  await add('everywhere', { global: true }, {}, 'A', 'B', 'C', 'D');
  await add('project', {}, { projects: project }, 'B', 'C', 'D');
  await add('near', {}, { workspaces: linked('workspaces', workspace.id) }, 'C', 'D');
  await add('first', { global: true, priority: true }, {}, 'E');
  await add('elsewhere', {}, {}, 'F');
  for (const key of ['D', 'E']) await ground.call('POST', `${own}/vars`, { data: variable(key, 'own') });
  const { items } = await ground.call('GET', `${own}/all-vars`);
  const seen = Object.fromEntries(items.map(({ attributes }) => [attributes['key'], attributes['value']]));
  expect(seen).toEqual({ A: 'everywhere', B: 'project', C: 'near', D: 'own', E: 'first' });
});

test('readers of a workspace may read only the sets that apply to it, and change none', async () => {
  const { organization, sets, workspace } = await newPlace();
  const reader = await ground.team(organization.id);
  await ground.grant(reader.id, { workspace: workspace.id }, 'read');
  const applies = await ground.call(
    'POST',
    sets,
    set({ name: 'here' }, { workspaces: linked('workspaces', workspace.id) }),
  );
  const other = await ground.call('POST', sets, set({ name: 'elsewhere' }));
  const listed = await ground.call('GET', sets, undefined, reader.token);
  expect(listed.items.map(({ id }) => id)).toEqual([applies.item.id]);
  expect((await ground.call('GET', `/varsets/${other.item.id}`, undefined, reader.token)).status).toBe(404);
  expect((await ground.call('DELETE', `/varsets/${applies.item.id}`, undefined, reader.token)).status).toBe(404);
  expect((await ground.call('POST', sets, set({ name: 'n' }), reader.token)).status).toBe(404);
  const managing = await ground.team(organization.id, { flags: ['manage-workspaces'] });
  expect((await ground.call('POST', sets, set({ name: 'n' }), managing.token)).status).toBe(201);
});

test('all names that the family can include are accepted, even unsupported ones', async () => {
  const { sets, workspace } = await newPlace();
  const made = await ground.call('POST', sets, set({ name: 's' }, { workspaces: linked('workspaces', workspace.id) }));
  const shown = await ground.call('GET', `/varsets/${made.item.id}?include=workspaces,stacks`);
  expect([shown.status, shown.body?.included?.map(({ type }) => type)]).toEqual([200, ['workspaces']]);
  expect(shown.item.relationships['stacks']).toEqual({ data: [] });
  const strange = await ground.call('GET', `/varsets/${made.item.id}?include=pets`);
  expect([strange.status, strange.errors[0]?.title]).toEqual([400, 'Invalid include parameter']);
});

test('the sets of a workspace are listed at both addresses', async () => {
  const { sets, workspace } = await newPlace();
  await ground.call('POST', sets, set({ name: 'everywhere', global: true }));
  await ground.call('POST', sets, set({ name: 'elsewhere' }));
  const [first, second] = [
    await ground.call('GET', `/workspaces/${workspace.id}/varsets`),
    await ground.call('GET', `/workspaces/${workspace.id}/applicable-varsets`),
  ];
  expect([second.status, second.items.map(({ attributes }) => attributes['name'])]).toEqual([200, ['everywhere']]);
  expect(second.items).toEqual(first.items);
});
