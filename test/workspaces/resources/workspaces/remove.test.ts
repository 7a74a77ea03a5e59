import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newId } from '#workspaces/frame/ids.ts';
import { workspaceGround } from '../../support/ground.ts';

const ground = workspaceGround();

const existing = async () => {
  const organization = await ground.organization();
  const { id, name } = await ground.workspace(organization.id, organization.projectId);
  return { organization, id, ways: [`/workspaces/${id}`, `/organizations/${organization.name}/workspaces/${name}`] };
};

test('a workspace without resources is deleted, by its id and by its name', async () => {
  for (const way of [0, 1]) {
    const { ways } = await existing();
    const path = ways[way] ?? '';
    const answer = await ground.call('POST', `${path}/actions/safe-delete`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await ground.call('GET', path)).status).toBe(404);
    expect((await ground.call('POST', `${path}/actions/safe-delete`)).status).toBe(404);
  }
});

test('a workspace that is locked or has resources is 409, and its deletion can be forced', async () => {
  const { id, ways } = await existing();
  const change = (what: string) =>
    sql`update ws_workspaces set ${sql.raw(what)} where id = ${id}`.execute(ground.service.store.db);
  const [path = '', byName = ''] = ways;
  const detail = async () => (await ground.call('POST', `${path}/actions/safe-delete`)).errors[0];
  await change(`resource_count = 2`);
  expect(await detail()).toEqual({
    status: '409',
    title: 'conflict',
    detail: 'workspace cannot be safely deleted because it is still managing resources',
  });
  const state = (serial: number, status: string, isProcessed: boolean) =>
    sql`
    insert into ws_state_versions (id, workspace_id, serial, status, resources_processed)
    values (${newId('sv')}, ${id}, ${serial}, ${status}, ${isProcessed})`.execute(ground.service.store.db);
  const processing = 'Latest workspace state is being processed to discover resources, please try again later';
  await state(1, 'finalized', true);
  expect((await detail())?.detail).toContain('still managing resources');
  await state(2, 'finalized', false);
  expect((await detail())?.detail).toBe(processing);
  await state(3, 'discarded', false);
  expect((await detail())?.detail).toContain('still managing resources');
  await state(4, 'pending', false);
  expect((await detail())?.detail).toBe(processing);
  await change(`lock_kind = 'users', lock_holder = 'user-root'`);
  expect(await detail()).toEqual({
    status: '409',
    title: 'conflict',
    detail: 'Workspace is currently locked. Workspace must be unlocked before it can be safely deleted',
  });
  expect((await ground.call('DELETE', byName)).status).toBe(204);
  expect((await ground.call('DELETE', path)).status).toBe(404);
});

test('administrators of a workspace may force its deletion if the organization allows it', async () => {
  const { organization, id, ways } = await existing();
  const [path = ''] = ways;
  const team = await ground.team(organization.id);
  await ground.grant(team.id, { workspace: id }, 'admin');
  expect((await ground.call('DELETE', path, undefined, team.token)).status).toBe(403);
  await sql`update ws_organizations set allow_force_delete_workspaces = true where id = ${organization.id}`.execute(
    ground.service.store.db,
  );
  const reader = await ground.team(organization.id);
  await ground.grant(reader.id, { workspace: id }, 'write');
  expect((await ground.call('DELETE', path, undefined, reader.token)).status).toBe(403);
  expect((await ground.call('DELETE', path, undefined, team.token)).status).toBe(204);
});
