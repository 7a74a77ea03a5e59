import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { documentOf } from '../../support/documents.ts';
import { workspaceGround } from '../../support/ground.ts';
import { taskService } from './service-of.ts';

const ground = workspaceGround();

async function newOrganization() {
  const organization = await ground.organization();
  const workspace = await ground.workspace(organization.id, organization.projectId);
  const path = `/organizations/${organization.name}/tasks`;
  const make = (attributes: object, token?: string) =>
    ground.call('POST', path, documentOf('tasks', { name: 'scan', category: 'task', ...attributes }), token);
  return { organization, workspace, path, make };
}

test('a task is created after a signed test request, read, changed and deleted', async () => {
  const { organization, path, make } = await newOrganization();
  const { url, received } = await taskService();
  const made = await make({ url, 'hmac-key': 'marker-key', description: 'd' });
  expect(made.status, made.text).toBe(201);
  expect(made.item.attributes).toMatchObject({ name: 'scan', url, category: 'task', 'hmac-key': null, enabled: true });
  expect(made.text).not.toContain('marker');
  const [{ body, signature, payload } = { body: '', signature: '', payload: {} }] = received;
  expect(signature).toBe(createHmac('sha512', 'marker-key').update(body).digest('hex'));
  expect(payload).toMatchObject({ stage: 'test', organization_name: organization.name, payload_version: 1 });
  const one = `/tasks/${made.item.id}`;
  const changed = await ground.call('PATCH', one, documentOf('tasks', { description: 'e', enabled: false }));
  expect(changed.item.attributes).toMatchObject({ description: 'e', enabled: false, name: 'scan' });
  expect(received).toHaveLength(1);
  expect((await ground.call('GET', path)).items).toEqual([changed.item]);
  expect((await ground.call('DELETE', one)).status).toBe(204);
  expect((await ground.call('GET', one)).status).toBe(404);
});

test('a stored key does not sign requests to another address', async () => {
  const { make } = await newOrganization();
  const [first, other] = [await taskService(), await taskService()];
  const { item } = await make({ url: first.url, 'hmac-key': 'marker-key' });
  const moved = await ground.call('PATCH', `/tasks/${item.id}`, documentOf('tasks', { url: other.url }));
  expect([moved.status, other.received[0]?.signature]).toEqual([200, '']);
});

test('a task whose service refuses the test request is 422, and is not changed', async () => {
  const { path, make } = await newOrganization();
  const { url, answers } = await taskService();
  answers.status = 500;
  const refused = await make({ url });
  expect([refused.status, refused.errors[0]?.detail]).toEqual([422, expect.stringContaining('500')]);
  expect((await ground.call('GET', path)).items).toEqual([]);
});

test.each([
  { url: 'ftp://a.test' },
  { url: 'http://u:p@a.test' },
  { name: 'with space' },
  { category: 'other' },
  { 'global-configuration': { enabled: true } },
])('%o is 422', async (wrong) => {
  const { make } = await newOrganization();
  const { url } = await taskService();
  expect((await make({ url, ...wrong })).status).toBe(422);
});

test('only callers that manage run tasks create them, and only those of the workspace add them to it', async () => {
  const { organization, workspace, make } = await newOrganization();
  const { url } = await taskService();
  const [member, manager, writer, admin] = [
    await ground.user(organization.id),
    await ground.team(organization.id, { flags: ['manage-run-tasks'] }),
    await ground.team(organization.id),
    await ground.team(organization.id),
  ];
  await ground.grant(writer.id, { workspace: workspace.id }, 'write');
  await ground.grant(admin.id, { workspace: workspace.id }, 'admin');
  expect((await make({ url }, member.token)).status).toBe(404);
  const { item } = await make({ url }, manager.token);
  const add = (token: string) =>
    ground.call(
      'POST',
      `/workspaces/${workspace.id}/tasks`,
      documentOf('workspace-tasks', { 'enforcement-level': 'advisory' }, { task: { type: 'tasks', id: item.id } }),
      token,
    );
  expect((await add(writer.token)).status).toBe(404);
  const added = await add(admin.token);
  expect(added.item.attributes).toEqual({ 'enforcement-level': 'advisory', stage: 'post_plan', stages: ['post_plan'] });
  expect((await add(admin.token)).status).toBe(422);
  const one = `/workspaces/${workspace.id}/tasks/${added.item.id}`;
  const changed = await ground.call('PATCH', one, documentOf('workspace-tasks', { stages: ['pre_plan', 'pre_apply'] }));
  expect(changed.item.attributes).toMatchObject({ stage: 'pre_plan', stages: ['pre_plan', 'pre_apply'] });
  const elsewhere = await ground.workspace(organization.id, organization.projectId);
  expect((await ground.call('DELETE', one.replace(workspace.id, elsewhere.id))).status).toBe(404);
  expect((await ground.call('GET', `/tasks/${item.id}`)).item.relationships['workspace-tasks']).toEqual({
    data: [{ type: 'workspace-tasks', id: added.item.id }],
  });
  expect((await ground.call('DELETE', one)).status).toBe(204);
});

test('a task of another organization cannot be added', async () => {
  const { make } = await newOrganization();
  const { workspace } = await newOrganization();
  const { url } = await taskService();
  const { item } = await make({ url });
  const sent = documentOf(
    'workspace-tasks',
    { 'enforcement-level': 'mandatory' },
    { task: { type: 'tasks', id: item.id } },
  );
  expect((await ground.call('POST', `/workspaces/${workspace.id}/tasks`, sent)).status).toBe(422);
});

test('policy sets are refused, and the entitlement says so', async () => {
  const { organization } = await newOrganization();
  const at = `/organizations/${organization.name}`;
  const refused = await ground.call('POST', `${at}/policy-sets`, documentOf('policy-sets', { name: 'p', kind: 'opa' }));
  expect([refused.status, refused.errors[0]?.detail]).toEqual([422, expect.stringContaining('policy-enforcement')]);
  expect((await ground.call('GET', `${at}/entitlement-set`)).item.attributes).toMatchObject({
    'policy-enforcement': false,
    'run-tasks': true,
  });
});
