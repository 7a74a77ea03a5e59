import { expect, test } from 'vitest';
import { workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();
const from = (id: string) => ({ data: { relationships: { sourceable: { data: { type: 'workspaces', id } } } } });
const listed = (id: string, direction: string) =>
  ground.call('GET', `/workspaces/${id}/run-triggers?filter%5Brun-trigger%5D%5Btype%5D=${direction}`);

test('a trigger connects two workspaces of an organization and is listed for both', async () => {
  const { id, projectId } = await ground.organization();
  const [target, source] = [await ground.workspace(id, projectId), await ground.workspace(id, projectId)];
  const made = await ground.call('POST', `/workspaces/${target.id}/run-triggers`, from(source.id));
  expect(made.status).toBe(201);
  expect(made.item).toMatchObject({
    type: 'run-triggers',
    attributes: { 'workspace-name': target.name, 'sourceable-name': source.name },
  });
  const again = await ground.call('POST', `/workspaces/${target.id}/run-triggers`, from(source.id));
  expect(again.item.id).toBe(made.item.id);
  expect((await listed(target.id, 'inbound')).items).toEqual([made.item]);
  expect((await listed(source.id, 'outbound')).items).toEqual([made.item]);
  expect((await listed(source.id, 'inbound')).items).toEqual([]);
  expect((await ground.call('GET', `/run-triggers/${made.item.id}`)).item).toEqual(made.item);
  expect((await ground.call('DELETE', `/run-triggers/${made.item.id}`)).status).toBe(204);
  expect((await ground.call('GET', `/run-triggers/${made.item.id}`)).status).toBe(404);
});

test('the workspace itself, workspaces of others and an unknown direction are refused', async () => {
  const { id, projectId } = await ground.organization();
  const other = await ground.organization();
  const target = await ground.workspace(id, projectId);
  const foreign = await ground.workspace(other.id, other.projectId);
  const path = `/workspaces/${target.id}/run-triggers`;
  for (const source of [target.id, foreign.id, 'ws-nothing'])
    expect((await ground.call('POST', path, from(source))).status).toBe(422);
  expect((await ground.call('GET', path)).status).toBe(400);
  const writer = await ground.team(id);
  await ground.grant(writer.id, { project: projectId }, 'write');
  const source = await ground.workspace(id, projectId);
  expect((await ground.call('POST', path, from(source.id), writer.token)).status).toBe(404);
});
