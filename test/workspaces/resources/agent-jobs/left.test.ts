import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { dropOldFiles } from '#workspaces/resources/run-lifecycle/old-files.ts';
import { documentOf } from '../../support/documents.ts';
import { put } from '../../support/files.ts';
import { workspaceGround } from '../../support/ground.ts';
import { archive } from '../runs/runs-of.ts';
import { jobOf, poolOf } from './pool-of.ts';

// What runs leave: files, logs, and runs that they trigger.
const ground = workspaceGround();

const planFiles = async (runId: string) =>
  (
    await sql<{ id: string | null }>`select plan_file_id as id from ws_run_jobs where run_id = ${runId}`.execute(
      ground.service.store.db,
    )
  ).rows.filter(({ id }) => id !== null).length;

test('the file of a plan that is discarded is removed; its log stays until it is old and the run has ended', async () => {
  const { configuration, run, register, take, act } = await poolOf(ground);
  const { db } = ground.service.store;
  await configuration();
  const { id } = (await run()).item;
  const job = jobOf(ground, await take(await register()));
  await job.bytes('plan-file', 'the plan');
  await job.finish({ status: 'finished', 'has-changes': true });
  expect(await planFiles(id)).toBe(1);
  const logs = async () =>
    (await sql`select 1 from ws_runs where id = ${id} and plan_log_id is not null`.execute(db)).rows.length;
  await sql`update ws_blobs set touched_at = now() - interval '9 days' where kind = 'log'`.execute(db);
  await dropOldFiles(ground.service.store, 7, 100);
  expect(await logs()).toBe(1);
  await act(id, 'discard');
  expect(await planFiles(id)).toBe(0);
  await dropOldFiles(ground.service.store, 0, 100);
  await dropOldFiles(ground.service.store, 10, 100);
  expect(await logs()).toBe(1);
  // The current run of the workspace keeps its log.
  await dropOldFiles(ground.service.store, 7, 100);
  expect(await logs()).toBe(1);
  await run();
  await dropOldFiles(ground.service.store, 7, 100);
  expect(await logs()).toBe(0);
  const plan = await ground.call('GET', `/runs/${id}/plan`);
  expect(await (await fetch(String(plan.item.attributes['log-read-url']))).text()).toBe('');
});

test.each([
  [false, 'planned'],
  [true, 'apply_queued'],
])(
  'an apply queues a run in the workspaces that it triggers; with auto-apply-run-trigger %s it becomes %s',
  async (applies, after) => {
    const { configuration, run, register, take, organization, workspace, pool } = await poolOf(ground);
    const { db } = ground.service.store;
    await configuration();
    const target = await ground.workspace(organization.id, organization.projectId);
    await sql`
    update ws_workspaces set execution_mode = 'agent', agent_pool_id = ${pool.id} where id = ${target.id}`.execute(db);
    const change = documentOf('workspaces', { 'auto-apply-run-trigger': applies });
    expect((await ground.call('PATCH', `/workspaces/${target.id}`, change)).status).toBe(200);
    const body = documentOf('configuration-versions', { 'auto-queue-runs': false });
    const made = await ground.call('POST', `/workspaces/${target.id}/configuration-versions`, body);
    await put(made.item.attributes['upload-url'], archive);
    const trigger = documentOf('run-triggers', {}, { sourceable: { type: 'workspaces', id: workspace.id } });
    expect((await ground.call('POST', `/workspaces/${target.id}/run-triggers`, trigger)).status).toBe(201);
    const { id } = (await run({ 'auto-apply': true })).item;
    const agent = await register();
    await jobOf(ground, await take(agent)).finish({ status: 'finished', 'has-changes': true });
    const runs = async () => (await ground.call('GET', `/workspaces/${target.id}/runs`)).items;
    expect(await runs()).toEqual([]);
    await jobOf(ground, await take(agent)).finish({ status: 'finished' });
    const [triggered] = await runs();
    expect(triggered?.attributes).toMatchObject({
      message: `Triggered by ${id}`,
      source: 'tfe-run-trigger',
      'auto-apply': applies,
    });
    const job = jobOf(ground, await take(agent));
    expect(job.runId).toBe(triggered?.id);
    await job.finish({ status: 'finished', 'has-changes': true });
    expect((await ground.call('GET', `/runs/${job.runId}`)).item.attributes['status']).toBe(after);
  },
);
