import { expect, test } from 'vitest';
import { workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();

const variable = (attributes: object) => ({ data: { type: 'vars', attributes } });

async function newWorkspace() {
  const organization = await ground.organization();
  const workspace = await ground.workspace(organization.id, organization.projectId);
  return { organization, workspace, vars: `/workspaces/${workspace.id}/vars` };
}

test('a variable is created, read, updated and deleted, and its value is stored encrypted', async () => {
  const { vars, workspace } = await newWorkspace();
  const made = await ground.call(
    'POST',
    vars,
    variable({ key: 'region', value: 'marker-plain', category: 'terraform' }),
  );
  expect(made.status).toBe(201);
  expect(made.item).toMatchObject({
    type: 'vars',
    attributes: { key: 'region', value: 'marker-plain', category: 'terraform', hcl: false, sensitive: false },
    relationships: { configurable: { data: { id: workspace.id, type: 'workspaces' } } },
  });
  const one = `${vars}/${made.item.id}`;
  expect((await ground.call('GET', one)).item).toEqual(made.item);
  const changed = await ground.call('PATCH', one, variable({ value: 'other' }));
  expect(changed.item.attributes).toMatchObject({ key: 'region', value: 'other' });
  expect(changed.item.attributes['version-id']).not.toBe(made.item.attributes['version-id']);
  expect((await ground.call('GET', vars)).items).toEqual([changed.item]);
  expect((await ground.call('DELETE', one)).status).toBe(204);
  expect((await ground.call('GET', one)).status).toBe(404);
});

test('the value of a sensitive variable is never returned, and the variable stays sensitive', async () => {
  const { vars } = await newWorkspace();
  const sent = { key: 'TOKEN', value: 'marker-sensitive', category: 'env', sensitive: true };
  const made = await ground.call('POST', vars, variable(sent));
  expect(made.item.attributes['value']).toBeNull();
  expect((await ground.call('GET', vars)).text).not.toContain('marker-sensitive');
  const plain = await ground.call('PATCH', `${vars}/${made.item.id}`, variable({ sensitive: false }));
  expect(plain.status).toBe(422);
  expect(plain.errors[0]?.source?.pointer).toBe('/data/attributes/sensitive');
});

test.each([
  [{ value: 'x', category: 'env' }, 'Key'],
  [{ key: 'a', value: 'x' }, 'Category'],
  [{ key: 'a b', value: 'x', category: 'terraform' }, 'letters, digits'],
  [{ key: 'A=B', value: 'x', category: 'env' }, '='],
  [{ key: 'a', value: 5, category: 'env' }, 'must be a string'],
  [{ key: 'a', value: 'x'.repeat(262_145), category: 'env' }, 'too large'],
  [{ key: 'a', value: 'x', category: 'other' }, 'Category must be'],
])('%o is 422 with the reason', async (attributes, text) => {
  const { vars } = await newWorkspace();
  const answer = await ground.call('POST', vars, variable(attributes));
  expect(answer.status).toBe(422);
  expect(answer.errors[0]?.detail).toContain(text);
});

test('a key is unique per category, under either name of the engine', async () => {
  const { vars } = await newWorkspace();
  expect((await ground.call('POST', vars, variable({ key: 'k', value: '1', category: 'engine' }))).status).toBe(201);
  const again = await ground.call('POST', vars, variable({ key: 'k', value: '2', category: 'terraform' }));
  expect(again.status).toBe(422);
  expect(again.errors[0]?.detail).toBe('Key has already been taken');
  expect((await ground.call('POST', vars, variable({ key: 'k', value: '3', category: 'env' }))).status).toBe(201);
});

test('readers of a workspace read its variables, and only callers with write access change them', async () => {
  const { organization, workspace, vars } = await newWorkspace();
  const reader = await ground.team(organization.id);
  const writer = await ground.team(organization.id);
  const stranger = await ground.team((await ground.organization()).id);
  await ground.grant(reader.id, { workspace: workspace.id }, 'read');
  await ground.grant(writer.id, { workspace: workspace.id }, 'write');
  const body = variable({ key: 'k', value: '1', category: 'env' });
  expect((await ground.call('POST', vars, body, reader.token)).status).toBe(404);
  expect((await ground.call('POST', vars, body, stranger.token)).status).toBe(404);
  const made = await ground.call('POST', vars, body, writer.token);
  expect(made.status).toBe(201);
  expect((await ground.call('GET', vars, undefined, reader.token)).items).toHaveLength(1);
  expect((await ground.call('GET', vars, undefined, stranger.token)).status).toBe(404);
  expect((await ground.call('DELETE', `${vars}/${made.item.id}`, undefined, reader.token)).status).toBe(404);
});

test('the addresses of old clients refer to the same variables', async () => {
  const { organization, workspace } = await newWorkspace();
  const relationships = { workspace: { data: { type: 'workspaces', id: workspace.id } } };
  const attributes = { key: 'k', value: '1', category: 'env' };
  const made = await ground.call('POST', '/vars', { data: { type: 'vars', attributes, relationships } });
  expect(made.status).toBe(201);
  const query = `filter%5Borganization%5D%5Bname%5D=${organization.name}&filter%5Bworkspace%5D%5Bname%5D=${workspace.name}`;
  expect((await ground.call('GET', `/vars?${query}`)).items).toEqual([made.item]);
  expect((await ground.call('PATCH', `/vars/${made.item.id}`, variable({ value: '2' }))).status).toBe(200);
  expect((await ground.call('DELETE', `/vars/${made.item.id}`)).status).toBe(204);
  expect((await ground.call('GET', '/vars')).status).toBe(400);
});

test('a page of variables shows the total number', async () => {
  const { vars } = await newWorkspace();
  for (const key of ['a', 'b', 'c']) await ground.call('POST', vars, variable({ key, value: key, category: 'env' }));
  const page = await ground.call('GET', `${vars}?page%5Bnumber%5D=2&page%5Bsize%5D=2`);
  expect(page.items.map(({ attributes }) => attributes['key'])).toEqual(['c']);
  expect(page.body?.meta).toMatchObject({ pagination: { 'current-page': 2, 'total-pages': 2, 'total-count': 3 } });
});
