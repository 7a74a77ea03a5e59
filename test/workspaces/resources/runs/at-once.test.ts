import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { otherProcessOf } from '#test/support/flow/other-process.ts';
import { put } from '../../support/files.ts';
import { workspaceGround } from '../../support/ground.ts';
import { runnableWorkspace } from './runs-of.ts';

const ground = workspaceGround();
const other = otherProcessOf(ground.service);

/** The addresses of both processes, in turn. */
const addressFor = (at: number): string => (at % 2 === 0 ? ground.service.address : other.address);

const statusesOf = (answers: readonly { readonly status: number }[]) => answers.map(({ status }) => status).toSorted();

test('of many runs that agents start concurrently in two processes one holds the workspace', async () => {
  const { configuration, run, row, status, writer } = await runnableWorkspace(ground);
  await configuration();
  const made = await Promise.all(Array.from({ length: 6 }, () => run()));
  const ids = made.map(({ item }) => item.id);
  const begin = (id: string, at: number) =>
    ground.call(
      'PATCH',
      `${addressFor(at)}/api/v2/plans/${id.replace('run', 'plan')}`,
      { data: { type: 'plans', attributes: { status: 'running' } } },
      writer.token,
    );
  expect(statusesOf(await Promise.all(ids.map(begin)))).toEqual([200, 409, 409, 409, 409, 409]);
  const statuses = await Promise.all(ids.map(status));
  const planning = ids.filter((_, at) => statuses[at] === 'planning');
  expect(planning).toHaveLength(1);
  expect(await row()).toMatchObject({ lock_kind: 'runs', lock_holder: planning[0], runs_made: 6 });
});

test('of many concurrent confirmations and discards of one plan in two processes one succeeds', async () => {
  const { configuration, run, planned, status, writer } = await runnableWorkspace(ground);
  await configuration();
  const { id } = (await run()).item;
  await planned(id);
  const act = (at: number) => {
    const action = at % 4 < 2 ? 'apply' : 'discard';
    return ground.call('POST', `${addressFor(at)}/api/v2/runs/${id}/actions/${action}`, undefined, writer.token);
  };
  const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => act(at)));
  expect(statusesOf(answers)).toEqual([202, ...Array.from({ length: 11 }, () => 409)]);
  const winner = answers.findIndex((answer) => answer.status === 202);
  expect(await status(id)).toBe(winner % 4 < 2 ? 'apply_queued' : 'discarded');
  const { rows } = await sql`
    select 1 from ws_run_events where run_id = ${id} and action in ('confirmed', 'discarded')`.execute(
    ground.service.store.db,
  );
  expect(rows).toHaveLength(1);
});

test('of two archives uploaded concurrently to two processes one is stored completely', async () => {
  const { workspace, writer } = await runnableWorkspace(ground);
  const made = await ground.call(
    'POST',
    `/workspaces/${workspace.id}/configuration-versions`,
    { data: { type: 'configuration-versions', attributes: { 'auto-queue-runs': false } } },
    writer.token,
  );
  const url = new URL(String(made.item.attributes['upload-url']));
  const archives = [gzipSync('one archive'), gzipSync('another archive')];
  const send = (at: number) => put(new URL(url.pathname, addressFor(at)).href, archives[at] ?? '');
  const answers = await Promise.all([send(0), send(1)]);
  expect(statusesOf(answers)).toEqual([200, 409]);
  const winner = answers.findIndex(({ status }) => status === 200);
  const path = `/configuration-versions/${made.item.id}/download`;
  const response = await fetch(`${ground.service.address}/api/v2${path}`, {
    headers: { authorization: `Bearer ${writer.token}` },
  });
  expect(Buffer.from(await response.arrayBuffer())).toEqual(archives[winner]);
  const { rows } = await sql`select 1 from ws_blobs where workspace_id = ${workspace.id}`.execute(
    ground.service.store.db,
  );
  expect(rows).toHaveLength(1);
});
