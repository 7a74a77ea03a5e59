import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { countsOfAssessment } from '#agent/engine/assessment.ts';
import { patience } from '../support/measures/patience.ts';
import { workspaceGround } from '../workspaces/support/ground.ts';
import { agentOf } from './agent-of.ts';

const ground = workspaceGround();

const drift = (address: string, ...actions: string[]) => ({ address, change: { actions } });
const plan = {
  format_version: '1.2',
  resource_drift: [drift('a.one', 'update'), drift('a.two', 'delete'), drift('a.three', 'no-op')],
  prior_state: {
    values: {
      root_module: {
        resources: [{ mode: 'managed' }, { mode: 'managed' }, { mode: 'data' }],
        child_modules: [{ resources: [{ mode: 'managed' }], child_modules: [{ resources: [{ mode: 'managed' }] }] }],
      },
    },
  },
  checks: [{ status: 'pass' }, { status: 'fail' }, { status: 'error' }, { status: 'unknown' }, { status: 'pass' }],
};
const counts = {
  'resources-drifted': 2,
  'resources-undrifted': 3,
  'checks-passed': 2,
  'checks-failed': 1,
  'checks-errored': 1,
  'checks-unknown': 1,
};

test('the numbers of an assessment come from the plan', () => {
  const of = (text: string) => countsOfAssessment(Buffer.from(text));
  expect(of(JSON.stringify(plan))).toEqual(counts);
  expect(of('{"format_version":"1.2"}')).toMatchObject({ 'resources-drifted': 0, 'resources-undrifted': 0 });
  expect([of('not JSON'), of('{"checks": 3}')]).toEqual([{}, {}]);
});

test('an agent assesses a workspace: the engine only refreshes, and what it finds is the result', async () => {
  const { configure, workspace, admin } = await agentOf(ground);
  await configure({ 'show.sh': `echo '${JSON.stringify(plan)}'; exit 0` });
  await sql`update ws_workspaces set resource_count = 5 where id = ${workspace.id}`.execute(ground.service.store.db);
  const begun = await ground.call('POST', `/workspaces/${workspace.id}/actions/assess`, undefined, admin.token);
  expect(begun.status, begun.text).toBe(200);
  const current = () => ground.call('GET', `/workspaces/${workspace.id}/current-assessment-result`);
  await expect.poll(async () => (await current()).status, { timeout: patience.conditionMs }).toBe(200);
  const { id, attributes } = (await current()).item;
  expect(attributes).toMatchObject({ succeeded: true, drifted: true, ...counts });
  const read = (name: string) => ground.call('GET', `/assessment-results/${id}/${name}`, undefined, admin.token);
  expect((await read('log-output')).text).toContain('-refresh-only');
  expect(JSON.parse((await read('json-output')).text)).toEqual(plan);
});
