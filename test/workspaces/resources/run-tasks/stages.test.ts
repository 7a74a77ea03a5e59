import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { workspaceGround } from '../../support/ground.ts';
import { jobOf, poolOf } from '../agent-jobs/pool-of.ts';
import { runnableWorkspace } from '../runs/runs-of.ts';
import { addedTask } from './service-of.ts';

const ground = workspaceGround();

async function workspaceAsking(stages: readonly string[], level: 'advisory' | 'mandatory' = 'mandatory') {
  const runnable = await runnableWorkspace(ground);
  await runnable.configuration();
  const task = await addedTask(ground, runnable, { stages, level });
  const stagesOf = async (id: string) => (await ground.call('GET', `/runs/${id}/task-stages`)).items;
  return { ...runnable, ...task, stagesOf };
}

const passed = { status: 'passed', message: '4 passed', url: 'https://scan.test/1' };

test('a run waits at each of its stages until its task has passed', async () => {
  const { run, report, act, status, asked, say, stagesOf, service } = await workspaceAsking([
    'pre_plan',
    'post_plan',
    'pre_apply',
    'post_apply',
  ]);
  const { id } = (await run()).item;
  const stage = async (name: string, shown: string) => {
    expect(await status(id)).toBe(shown);
    const request = await asked();
    expect(request.payload['stage']).toBe(name);
    expect((await say(request, passed)).status).toBe(200);
  };
  expect((await report(id, 'plan', { status: 'running' })).status).toBe(409);
  await stage('pre_plan', 'pre_plan_running');
  expect(await status(id)).toBe('plan_queued');
  await report(id, 'plan', { status: 'running' });
  expect((await report(id, 'plan', { status: 'finished', 'has-changes': true })).status).toBe(200);
  expect((await act(id, 'apply')).status).toBe(409);
  expect((await report(id, 'plan', { status: 'errored' })).status).toBe(409);
  await stage('post_plan', 'post_plan_running');
  expect(await status(id)).toBe('planned');
  expect((await act(id, 'apply')).status).toBe(202);
  expect((await report(id, 'apply', { status: 'running' })).status).toBe(409);
  await stage('pre_apply', 'pre_apply_running');
  expect(await status(id)).toBe('apply_queued');
  await report(id, 'apply', { status: 'running' });
  await report(id, 'apply', { status: 'finished' });
  await stage('post_apply', 'applied');
  expect(service.received).toHaveLength(4);
  expect((await stagesOf(id)).map(({ attributes }) => [attributes['stage'], attributes['status']])).toEqual([
    ['pre_plan', 'passed'],
    ['post_plan', 'passed'],
    ['pre_apply', 'passed'],
    ['post_apply', 'passed'],
  ]);
});

test('the request is signed, has all members, and its token reads the run and reports its result, once', async () => {
  const stage = await poolOf(ground);
  await stage.configuration();
  const { asked, say } = await addedTask(ground, stage, { stages: ['post_plan'] });
  const { id, attributes } = (await stage.run({ message: 'm' })).item;
  const job = jobOf(ground, await stage.take(await stage.register()));
  await job.bytes('plan-json', '{"plan": true}');
  await job.finish({ status: 'finished', 'has-changes': true });
  const request = await asked();
  const { address } = ground.service;
  const page = `${address}/app/${stage.organization.name}/workspaces/${stage.workspace.name}`;
  expect(request.signature).toBe(createHmac('sha512', 'marker-key').update(request.body).digest('hex'));
  expect(request.payload).toMatchObject({
    payload_version: 1,
    stage: 'post_plan',
    is_speculative: false,
    organization_name: stage.organization.name,
    plan_json_api_url: `${address}/api/v2/plans/${id.replace('run-', 'plan-')}/json-output`,
    run_app_url: `${page}/runs/${id}`,
    run_created_at: attributes['created-at'],
    run_created_by: stage.writer.id,
    run_id: id,
    run_message: 'm',
    task_result_enforcement_level: 'mandatory',
    workspace_app_url: page,
    workspace_id: stage.workspace.id,
  });
  const token = request.payload['access_token'];
  const read = (path: string) => ground.call('GET', path, undefined, token);
  expect((await read(String(request.payload['plan_json_api_url']))).body).toEqual({ plan: true });
  expect((await read(String(request.payload['configuration_version_download_url']))).status).toBe(200);
  const other = (await stage.run()).item.id;
  expect((await ground.call('GET', `/runs/${other}/configuration-version/download`)).status).toBe(200);
  const others = [
    `/runs/${other}/configuration-version/download`,
    `/runs/${id}`,
    `/workspaces/${stage.workspace.id}`,
    `/workspaces/${stage.workspace.id}/vars`,
  ];
  for (const path of others) expect((await read(path)).status, path).toBe(404);
  expect((await say(request, { status: 'running', message: 'half' })).item.attributes).toMatchObject({
    status: 'running',
    message: 'half',
  });
  expect((await say(request, { status: 'errored' })).status).toBe(422);
  const result = `/task-results/${request.payload['task_result_id']}`;
  expect((await ground.call('PATCH', `${result}/callback`, {}, stage.writer.token)).status).toBe(404);
  expect((await say(request, passed)).item.attributes).toMatchObject(passed);
  expect((await say(request, { status: 'failed' })).status).toBe(401);
  expect((await read(String(request.payload['plan_json_api_url']))).status).toBe(401);
  expect((await ground.call('GET', result, undefined, stage.reader.token)).item.attributes).toMatchObject(passed);
  expect(await stage.status(id)).toBe('planned');
});

test.each([
  ['mandatory', 'errored', 'failed'],
  ['advisory', 'planned', 'passed'],
] as const)('a %s task that fails leaves a run that is %s', async (level, expected, shown) => {
  const { run, planned, status, asked, say, stagesOf, row } = await workspaceAsking(['post_plan'], level);
  const { id } = (await run()).item;
  await planned(id);
  await say(await asked(), { status: 'failed', message: 'no' });
  expect(await status(id)).toBe(expected);
  expect((await stagesOf(id))[0]?.attributes['status']).toBe(shown);
  expect((await row())?.lock_kind).toBe(expected === 'errored' ? null : 'runs');
});

test('a service that cannot be reached is asked three times, and one that is silent ends as errored', async () => {
  const { run, planned, status, service, stagesOf, asked } = await workspaceAsking(['post_plan']);
  const { db } = ground.service.store;
  const resultOf = async (id: string) => {
    const [stage] = await stagesOf(id);
    const found = await ground.call('GET', `/task-stages/${stage?.id}?include=task_results`);
    return found.body?.included?.[0]?.attributes;
  };
  service.answers.status = 503;
  const first = (await run()).item.id;
  await planned(first);
  for (let round = 0; round < 4; round += 1) {
    await ground.service.notify();
    await sql`update ws_task_results set next_at = now() where next_at is not null`.execute(db);
  }
  expect(service.received).toHaveLength(3);
  expect(await resultOf(first)).toMatchObject({ status: 'unreachable', message: expect.stringContaining('503') });
  expect(await status(first)).toBe('errored');
  service.answers.status = 200;
  const second = (await run()).item.id;
  await planned(second);
  await asked();
  await ground.service.sweep();
  expect(await status(second)).toBe('post_plan_running');
  await sql`update ws_task_results set until = now() - interval '1 second' where until is not null`.execute(db);
  await ground.service.sweep();
  expect(await status(second)).toBe('errored');
  expect(await resultOf(second)).toMatchObject({ status: 'errored', message: expect.stringContaining('in time') });
});

test('a run that is canceled while it asks ends at once, and its tasks with it', async () => {
  const { run, planned, act, status, asked, say, stagesOf } = await workspaceAsking(['post_plan']);
  const { id } = (await run()).item;
  await planned(id);
  const request = await asked();
  expect((await act(id, 'cancel')).status).toBe(202);
  expect(await status(id)).toBe('canceled');
  expect((await stagesOf(id))[0]?.attributes['status']).toBe('canceled');
  expect((await say(request, passed)).status).toBe(401);
});

test('an agent takes no work from a run that asks, and takes it afterwards', async () => {
  const stage = await poolOf(ground);
  await stage.configuration();
  const { asked, say } = await addedTask(ground, stage, { stages: ['pre_plan', 'pre_apply'] });
  const agent = await stage.register();
  const { id } = (await stage.run({ 'auto-apply': true })).item;
  const taken = async () => (await stage.take(agent)).status;
  expect(await taken()).toBe(204);
  const runs = `/workspaces/${stage.workspace.id}/runs?filter%5Bstatus%5D=pre_plan_running`;
  expect((await ground.call('GET', runs)).items.map((one) => one.id)).toEqual([id]);
  await say(await asked(), passed);
  const job = jobOf(ground, await stage.take(agent));
  await job.bytes('plan-file', 'p');
  await job.finish({ status: 'finished', 'has-changes': true });
  expect(await stage.status(id)).toBe('pre_apply_running');
  expect(await taken()).toBe(204);
  await say(await asked(), passed);
  expect(await taken()).toBe(200);
});

test('a disabled task is not asked', async () => {
  const { run, status, task } = await workspaceAsking(['pre_plan']);
  const off = { data: { type: 'tasks', attributes: { enabled: false } } };
  expect((await ground.call('PATCH', `/tasks/${task.item.id}`, off)).status).toBe(200);
  expect(await status((await run()).item.id)).toBe('plan_queued');
});
