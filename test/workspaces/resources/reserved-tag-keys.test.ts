import { expect, test } from 'vitest';
import { documentOf } from '../support/documents.ts';
import { workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();
const reserved = (attributes: object) => documentOf('reserved-tag-keys', attributes);

async function stage() {
  const { id, name } = await ground.organization();
  const [user, manager] = [await ground.user(id), await ground.team(id, { flags: ['manage-workspaces'] })];
  return { id, name, user, manager, path: `/organizations/${name}/reserved-tag-keys` };
}

test('a tag key is reserved, listed for members, updated and released', async () => {
  const { user, manager, path } = await stage();
  const made = await ground.call('POST', path, reserved({ key: 'cost' }), manager.token);
  expect(made.status).toBe(201);
  expect(made.item).toMatchObject({
    type: 'reserved-tag-keys',
    attributes: { key: 'cost', 'disable-overrides': false },
  });
  expect((await ground.call('GET', path, undefined, user.token)).items).toEqual([made.item]);
  expect((await ground.call('POST', path, reserved({ key: 'cost' }))).errors[0]?.detail).toBe(
    'Key has already been taken',
  );
  for (const key of ['', 'a b', 'hcp:x', 7])
    expect((await ground.call('POST', path, reserved({ key }))).status).toBe(422);
  const one = `/reserved-tag-keys/${made.item.id}`;
  expect((await ground.call('POST', path, reserved({ key: 'other' }), user.token)).status).toBe(404);
  expect((await ground.call('PATCH', one, reserved({ key: 'other' }), user.token)).status).toBe(404);
  const changed = await ground.call('PATCH', one, reserved({ 'disable-overrides': true }), manager.token);
  expect(changed.item.attributes).toMatchObject({ key: 'cost', 'disable-overrides': true });
  expect((await ground.call('DELETE', `/reserved-tags/${made.item.id}`, undefined, manager.token)).status).toBe(204);
  expect((await ground.call('DELETE', one, undefined, manager.token)).status).toBe(404);
});

test('a workspace cannot override the value of its project for a key reserved without overrides', async () => {
  const { id, path } = await stage();
  const project = await ground.project(id);
  const workspace = await ground.workspace(id, project);
  const tags = (value: string) => ({ data: [{ type: 'tag-bindings', attributes: { key: 'cost', value } }] });
  const onWorkspace = (value: string) => ground.call('PATCH', `/workspaces/${workspace.id}/tag-bindings`, tags(value));
  await ground.call('PATCH', `/projects/${project}/tag-bindings`, tags('project'));
  const { item } = await ground.call('POST', path, reserved({ key: 'cost', 'disable-overrides': true }));
  const refused = await onWorkspace('mine');
  expect([refused.status, refused.errors[0]?.detail]).toEqual([
    422,
    'Key "cost" is set by the project, and the organization does not let workspaces override it.',
  ]);
  await ground.call('PATCH', `/reserved-tag-keys/${item.id}`, reserved({ 'disable-overrides': false }));
  expect((await onWorkspace('mine')).status).toBe(200);
});
