import { expect, test } from 'vitest';
import { workspaceGround } from '../../support/ground.ts';
import { addedTask } from '../run-tasks/service-of.ts';
import { opaProgram } from './opa-program.ts';
import { policedWorkspace } from './policed.ts';

const ground = workspaceGround({ KEYFERRY_OPA: opaProgram() });

async function waiting(attributes: object = {}) {
  const policed = await policedWorkspace(ground, { overridable: true });
  const id = await policed.plannedRun('bad', attributes);
  await ground.service.notify();
  const override = async (token?: string, body?: object) =>
    ground.call('POST', `/task-stages/${(await policed.stageOf(id)).id}/actions/override`, body, token);
  const withFlag = async (flag: 'manage-policy-overrides' | 'delegate-policy-overrides', access: 'read' | 'write') => {
    const user = await ground.user(policed.organization.id);
    const team = await ground.team(policed.organization.id, { flags: [flag], members: [user.id] });
    await ground.grant(team.id, { workspace: policed.workspace.id }, access);
    return user.token;
  };
  return { ...policed, id, override, withFlag };
}

test('a failed set that may be overridden waits for a caller with the right', async () => {
  const { id, status, override, withFlag, writer, stageOf, evaluationOf, act } = await waiting();
  expect(await status(id)).toBe('post_plan_awaiting_decision');
  const shown = await ground.call('GET', `/runs/${id}`);
  expect(shown.item.attributes['actions']).toMatchObject({ 'is-discardable': true, 'is-confirmable': false });
  const stage = await stageOf(id);
  expect(stage.attributes).toMatchObject({
    status: 'awaiting_override',
    actions: { 'is-overridable': true },
    permissions: { 'can-override-policy': false },
  });
  expect((await act(id, 'apply')).status).toBe(409);
  expect((await override(writer.token)).status).toBe(404);
  expect((await override(await withFlag('delegate-policy-overrides', 'read'))).status).toBe(404);
  const done = await override(await withFlag('manage-policy-overrides', 'read'), { comment: 'for once' });
  expect([done.status, done.item.attributes['status']]).toEqual([200, 'passed']);
  expect(done.item.attributes['permissions']).toMatchObject({ 'can-override-policy': true });
  expect((await evaluationOf(id)).attributes['status']).toBe('overridden');
  expect(await status(id)).toBe('planned');
  expect((await override()).status).toBe(409);
  expect((await ground.call('GET', `/runs/${id}/comments`)).items[0]?.attributes['body']).toBe('for once');
});

test('a delegated override needs the right to apply, and a run that applies itself goes on', async () => {
  const { id, status, override, withFlag, act, workspace } = await waiting({ 'auto-apply': true });
  expect((await override(await withFlag('delegate-policy-overrides', 'write'))).status).toBe(200);
  expect(await status(id)).toBe('apply_queued');
  await act(id, 'cancel');
  const shown = await ground.call('GET', `/workspaces/${workspace.id}`);
  expect(shown.item.attributes).toMatchObject({ 'policy-check-failures': 1, 'run-failures': 0 });
});

test('a run that waits for an override can be discarded', async () => {
  const { id, status, act, stageOf, override } = await waiting();
  expect((await act(id, 'discard')).status).toBe(202);
  expect([await status(id), (await stageOf(id)).attributes['status']]).toEqual(['discarded', 'canceled']);
  expect((await override()).status).toBe(409);
});

test('a run that only plans does not wait for an override', async () => {
  const { id, status } = await waiting({ 'plan-only': true });
  expect(await status(id)).toBe('errored');
});

test('tasks and policies of a stage wait for each other, and a mandatory task cannot be overridden', async () => {
  const policed = await policedWorkspace(ground, { overridable: true });
  const { asked, say } = await addedTask(ground, policed, { stages: ['post_plan'] });
  const id = await policed.plannedRun('bad');
  const request = await asked();
  expect(await policed.status(id)).toBe('post_plan_running');
  await say(request, { status: 'failed' });
  expect(await policed.status(id)).toBe('errored');
  const stage = await ground.call(
    'GET',
    `/task-stages/${(await policed.stageOf(id)).id}?include=task_results,policy_evaluations`,
  );
  expect(stage.body?.included?.map(({ type }) => type)).toEqual(['task-results', 'policy-evaluations']);
});
