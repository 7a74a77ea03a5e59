import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { workspaceGround } from '../../support/ground.ts';
import { opaProgram, policyText } from './opa-program.ts';
import { policedWorkspace } from './policed.ts';

const ground = workspaceGround({ KEYFERRY_OPA: opaProgram() });

test('a plan with nothing against the policies goes on after the evaluation', async () => {
  const { plannedRun, status, stageOf, evaluationOf, outcomesOf, act } = await policedWorkspace(ground);
  const id = await plannedRun('good');
  expect(await status(id)).toBe('post_plan_running');
  expect((await act(id, 'apply')).status).toBe(409);
  expect((await stageOf(id)).relationships['policy-evaluations']?.data).toHaveLength(1);
  await ground.service.notify();
  expect(await status(id)).toBe('planned');
  expect((await stageOf(id)).attributes).toMatchObject({ stage: 'post_plan', status: 'passed' });
  const evaluation = await evaluationOf(id);
  expect(evaluation.attributes).toMatchObject({
    status: 'passed',
    'policy-kind': 'opa',
    'policy-tool-version': expect.stringMatching(/^\d+\.\d+/),
    'result-count': { passed: 1, 'mandatory-failed': 0, 'advisory-failed': 0, errored: 0 },
  });
  const [outcome] = (await outcomesOf(id)).items;
  expect(outcome?.attributes).toMatchObject({
    'policy-set-name': 'security',
    overridable: false,
    error: '',
    outcomes: [{ policy_name: 'no-bad', status: 'passed', query: 'data.terraform.deny', description: 'nothing bad' }],
  });
  expect((await ground.call('GET', `/policy-set-outcomes/${outcome?.id}`)).item).toEqual(outcome);
  expect((await ground.call('GET', `/policy-evaluations/${evaluation.id}`)).item).toEqual(evaluation);
});

test.each(['current', 'old'] as const)(
  'what a policy in the %s dialect finds ends the run, and shows no sensitive value',
  async (dialect) => {
    const { plannedRun, status, outcomesOf, secret, stageOf, workspace, row } = await policedWorkspace(ground, {
      text: policyText[dialect]('bad'),
    });
    const id = await plannedRun('bad');
    await ground.service.notify();
    expect(await status(id)).toBe('errored');
    expect((await stageOf(id)).attributes['status']).toBe('failed');
    expect((await row())?.lock_kind).toBeNull();
    const outcomes = await outcomesOf(id);
    expect(outcomes.items[0]?.attributes['outcomes']).toMatchObject([
      { status: 'failed', enforcement_level: 'mandatory', output: [`bad.x has *** in ${workspace.name}`] },
    ]);
    expect(outcomes.text).not.toContain(secret);
    const shown = await ground.call('GET', `/workspaces/${workspace.id}`);
    expect(shown.item.attributes).toMatchObject({ 'policy-check-failures': 1, 'run-failures': 1 });
  },
);

test('an advisory policy does not end the run', async () => {
  const { plannedRun, status, evaluationOf } = await policedWorkspace(ground, { level: 'advisory' });
  const id = await plannedRun('bad');
  await ground.service.notify();
  expect(await status(id)).toBe('planned');
  expect((await evaluationOf(id)).attributes).toMatchObject({
    status: 'passed',
    'result-count': { 'advisory-failed': 1, passed: 0 },
  });
});

describe('a policy that cannot be evaluated fails', () => {
  test.each([
    ['without a text', { text: null }, 'was not uploaded'],
    ['with another rule', { query: 'terraform.nothing' }, 'undefined'],
    ['that calls the network', { text: policyText.reaching }, 'undefined function http.send'],
  ] as const)('%s', async (_name, wanted, problem) => {
    const { plannedRun, status, evaluationOf, outcomesOf } = await policedWorkspace(ground, wanted);
    const id = await plannedRun('good');
    await ground.service.notify();
    expect(await status(id)).toBe('errored');
    expect((await evaluationOf(id)).attributes).toMatchObject({ status: 'errored', 'result-count': { errored: 1 } });
    expect((await outcomesOf(id)).items[0]?.attributes['error']).toContain(problem);
  });

  test('with a plan that no agent has stored', async () => {
    const { run, planned, status, outcomesOf } = await policedWorkspace(ground);
    const { id } = (await run()).item;
    await planned(id);
    await ground.service.notify();
    expect(await status(id)).toBe('errored');
    expect((await outcomesOf(id)).items[0]?.attributes['error']).toContain('no plan in JSON');
  });

  test('whose evaluation has ended three processes', async () => {
    const { plannedRun, status, outcomesOf } = await policedWorkspace(ground);
    const id = await plannedRun('good');
    await sql`
      update ws_policy_evaluations set attempts = 3
       where stage_id = (select id from ws_task_stages where run_id = ${id})`.execute(ground.service.store.db);
    await ground.service.notify();
    expect(await status(id)).toBe('errored');
    expect((await outcomesOf(id)).items[0]?.attributes['error']).toContain('3 attempts');
  });
});

test('a rule that is true or false decides', async () => {
  const { plannedRun, status } = await policedWorkspace(ground, { query: 'data.terraform.allow' });
  const changing = await plannedRun('good');
  await ground.service.notify();
  expect(await status(changing)).toBe('errored');
  const destroying = await plannedRun('good', { 'is-destroy': true });
  await ground.service.notify();
  expect(await status(destroying)).toBe('planned');
});

test('a set that is global leaves out the workspaces that it excludes', async () => {
  const { plannedRun, status, set, workspace, act } = await policedWorkspace(ground);
  const one = `/policy-sets/${set.item.id}`;
  const body = { data: [{ type: 'workspaces', id: workspace.id }] };
  const isGlobal = { data: { type: 'policy-sets', attributes: { global: true } } };
  expect((await ground.call('PATCH', one, isGlobal)).item.attributes).toMatchObject({
    global: true,
    'workspace-count': 0,
  });
  const covered = await plannedRun('bad');
  expect(await status(covered)).toBe('post_plan_running');
  await act(covered, 'cancel');
  expect((await ground.call('POST', `${one}/relationships/workspace-exclusions`, body)).status).toBe(204);
  expect(await status(await plannedRun('bad'))).toBe('planned');
});

test('a run that is canceled during the evaluation stays canceled', async () => {
  const { plannedRun, status, act, evaluationOf } = await policedWorkspace(ground);
  const id = await plannedRun('bad');
  expect((await act(id, 'cancel')).status).toBe(202);
  await ground.service.notify();
  expect(await status(id)).toBe('canceled');
  expect((await evaluationOf(id)).attributes['status']).toBe('canceled');
});
