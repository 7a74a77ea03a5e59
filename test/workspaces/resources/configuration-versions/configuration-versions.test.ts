import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { filesOf, put } from '../../support/files.ts';
import { workspaceGround } from '../../support/ground.ts';
import { archive, runnableWorkspace } from '../runs/runs-of.ts';

const ground = workspaceGround();

test('a configuration version is created, uploaded, read and downloaded, and becomes the current one', async () => {
  const { configuration, workspace, writer, reader } = await runnableWorkspace(ground);
  const { made, uploaded } = await configuration();
  expect([made.status, uploaded.status]).toEqual([201, 200]);
  expect(made.item.attributes).toMatchObject({ status: 'pending', 'auto-queue-runs': false, speculative: false });
  const path = `/configuration-versions/${made.item.id}`;
  const shown = await ground.call('GET', path, undefined, writer.token);
  expect(shown.item.attributes).toMatchObject({ status: 'uploaded', 'upload-url': null });
  const list = `/workspaces/${workspace.id}/configuration-versions`;
  expect((await ground.call('GET', list, undefined, writer.token)).items).toEqual([shown.item]);
  const file = await fetch(`${ground.service.address}/api/v2${path}/download`, {
    headers: { authorization: `Bearer ${reader.token}` },
  });
  expect(Buffer.from(await file.arrayBuffer())).toEqual(archive);
  expect((await ground.call('GET', `${path}/ingress-attributes`)).status).toBe(404);
  const { rows } =
    await sql`select current_configuration_version_id as id from ws_workspaces where id = ${workspace.id}`.execute(
      ground.service.store.db,
    );
  expect(rows).toEqual([{ id: made.item.id }]);
});

test('an upload queues a run if requested, and a speculative version never becomes current', async () => {
  const { configuration, workspace, writer } = await runnableWorkspace(ground);
  await configuration({ speculative: true });
  expect((await ground.call('GET', `/workspaces/${workspace.id}/runs`, undefined, writer.token)).items).toEqual([]);
  const { made } = await configuration({});
  const { items } = await ground.call('GET', `/workspaces/${workspace.id}/runs`, undefined, writer.token);
  expect(
    items.map(({ attributes, relationships }) => [attributes['source'], relationships['configuration-version']]),
  ).toEqual([['tfe-configuration-version', { data: { id: made.item.id, type: 'configuration-versions' } }]]);
});

test('a second, different archive and an invalid archive are refused and leave nothing behind', async () => {
  const { configuration, workspace } = await runnableWorkspace(ground);
  const { made } = await configuration();
  const url = made.item.attributes['upload-url'];
  expect((await put(url, archive)).status).toBe(200);
  expect((await put(url, gzipSync('another one'))).status).toBe(409);
  expect((await put(url, 'no archive')).status).toBe(422);
  expect((await put(url, '')).status).toBe(422);
  expect(await filesOf(ground, workspace.id)).toHaveLength(1);
  expect((await put(`${url}x`, archive)).status).toBe(404);
});

test('a version without its archive becomes current too; a provisional one does so when it has been applied', async () => {
  const { configuration, workspace, run, report, planned, act } = await runnableWorkspace(ground);
  const current = async () =>
    (await ground.call('GET', `/workspaces/${workspace.id}`)).item.relationships['current-configuration-version']?.data;
  const waiting = await ground.call('POST', `/workspaces/${workspace.id}/configuration-versions`, {
    data: { type: 'configuration-versions', attributes: {} },
  });
  expect(await current()).toMatchObject({ id: waiting.item.id });
  expect(waiting.item.attributes['upload-url']).toMatch(/^http/);
  const shown = await ground.call('GET', `/configuration-versions/${waiting.item.id}`);
  expect(shown.item.attributes).toMatchObject({ status: 'pending', 'upload-url': null });

  const { made } = await configuration({ provisional: true, 'auto-queue-runs': false });
  expect(await current()).toMatchObject({ id: waiting.item.id });
  // Runs without a configuration do not use it.
  expect((await run()).status).toBe(422);
  const named = { 'configuration-version': { data: { type: 'configuration-versions', id: made.item.id } } };
  const { item } = await run({}, undefined, named);
  await planned(item.id);
  await act(item.id, 'apply');
  await report(item.id, 'apply', { status: 'running' });
  await report(item.id, 'apply', { status: 'finished' });
  expect(await current()).toMatchObject({ id: made.item.id });
});

test('callers that may plan can delete former archives', async () => {
  const { configuration, reader, planner } = await runnableWorkspace(ground);
  const former = (await configuration()).made.item.id;
  const current = (await configuration()).made.item.id;
  const remove = async (id: string, token: string) =>
    (await ground.call('POST', `/configuration-versions/${id}/actions/archive`, undefined, token)).status;
  expect(await remove(former, reader.token)).toBe(404);
  expect(await remove(current, planner.token)).toBe(409);
  expect(await remove(former, planner.token)).toBe(202);
  expect(
    (await ground.call('GET', `/configuration-versions/${former}/download`, undefined, planner.token)).status,
  ).toBe(404);
  const made = await ground.call('POST', '/workspaces/ws-none/configuration-versions', { data: {} });
  expect(made.status).toBe(404);
});
