import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { documentOf } from '../../support/documents.ts';
import { workspaceGround } from '../../support/ground.ts';
import { jobOf } from '../agent-jobs/pool-of.ts';
import { assessable } from './assessable.ts';

const ground = workspaceGround();

test('an assessment is a job of an agent, and its result has what the agent counted', async () => {
  const { assess, perform, workspace, current, messages, admin } = await assessable(ground);
  expect((await current()).status).toBe(404);
  expect((await assess()).item).toMatchObject({ id: workspace.id, type: 'workspaces' });
  await perform({ 'resources-drifted': 1, 'resources-undrifted': 7, 'checks-passed': 2, 'checks-failed': 1 });
  const { item } = await current();
  expect(item).toMatchObject({
    id: expect.stringMatching(/^asmtres-/),
    type: 'assessment-results',
    attributes: {
      succeeded: true,
      drifted: true,
      'error-msg': null,
      'all-checks-succeeded': false,
      'resources-drifted': 1,
      'resources-undrifted': 7,
      'checks-passed': 2,
      'checks-failed': 1,
      'checks-errored': 0,
      'checks-unknown': 0,
    },
  });
  expect((await ground.call('GET', `/assessment-results/${item.id}`)).item).toEqual(item);
  const plan = await ground.call('GET', `/assessment-results/${item.id}/json-output`, undefined, admin.token);
  expect([plan.status, plan.text]).toEqual([200, '{"format_version":"1.2"}']);
  const log = await ground.call('GET', `/assessment-results/${item.id}/log-output`, undefined, admin.token);
  expect([log.status, log.text]).toEqual([200, '\u0002looked\u0003']);
  const shown = await ground.call('GET', `/workspaces/${workspace.id}?include=current_assessment_result`);
  expect(shown.item.attributes['last-assessment-result-at']).toBe(item.attributes['created-at']);
  expect(shown.item.relationships['current-assessment-result']).toMatchObject({ data: { id: item.id } });
  expect(shown.body?.included).toEqual([item]);
  expect(await messages()).toMatchObject([
    {
      trigger_scope: 'assessment',
      trigger: 'assessment:drifted',
      details: {
        new_assessment_result: { id: item.id, drifted: true, resources_drifted: 1, checks_failed: 1 },
        prior_assessment_result: null,
        workspace_name: workspace.name,
      },
    },
    { trigger: 'assessment:check_failure' },
  ]);
});

test('a workspace as its state says has no drift, and receivers are not told', async () => {
  const { assess, perform, current, messages } = await assessable(ground);
  await assess();
  await perform({ 'resources-drifted': 0, 'resources-undrifted': 8, 'has-changes': false });
  expect((await current()).item.attributes).toMatchObject({
    succeeded: true,
    drifted: false,
    'resources-undrifted': 8,
  });
  expect(await messages()).toEqual([]);
});

test('an assessment whose plan fails has not succeeded', async () => {
  const { assess, perform, current, messages } = await assessable(ground);
  await assess();
  await perform({ status: 'errored', 'has-changes': true });
  expect((await current()).item.attributes).toMatchObject({
    succeeded: false,
    drifted: false,
    'error-msg': 'The assessment ended as errored: see its log',
  });
  expect(await messages()).toMatchObject([{ trigger: 'assessment:failed' }]);
});

test('the run of an assessment is none of the workspace: no list, no count, no lock, no change', async () => {
  const { assess, perform, workspace, organization, take, agent } = await assessable(ground);
  const facts = async () => {
    const { attributes, relationships } = (await ground.call('GET', `/workspaces/${workspace.id}`)).item;
    const {
      'latest-change-at': changed,
      'run-failures': failures,
      'workspace-kpis-runs-count': runs,
      locked,
    } = attributes;
    return { changed, failures, runs, locked, run: relationships['current-run'] };
  };
  const before = await facts();
  await assess();
  const job = jobOf(ground, await take(agent));
  expect((await job.read()).item.attributes).toMatchObject({
    part: 'plan',
    'refresh-only': true,
    'is-assessment': true,
  });
  const own = `/organizations/${organization.name}`;
  for (const path of [`/workspaces/${workspace.id}/runs`, `${own}/runs`, `${own}/runs/queue`])
    expect((await ground.call('GET', path)).items, path).toEqual([]);
  const capacity = await ground.call('GET', `${own}/capacity`);
  expect(capacity.item.attributes).toEqual({ pending: 0, running: 0 });
  const paths = ['', '/plan', '/run-events', '/plan/json-output'].map((rest) => `/runs/${job.runId}${rest}`);
  for (const path of [...paths, `/plans/${job.id}`, `/plans/${job.id}/json-output`])
    expect((await ground.call('GET', path)).status, path).toBe(404);
  expect((await ground.call('POST', `/runs/${job.runId}/actions/cancel`)).status).toBe(404);
  await perform({ status: 'errored' }, job);
  expect(await facts()).toEqual(before);
});

test('runs of the pool go before assessments', async () => {
  const { assess, run, take, agent } = await assessable(ground);
  await assess();
  const { id } = (await run({ 'plan-only': true })).item;
  expect((await take(agent)).item.attributes['run-id']).toBe(id);
});

test('an assessment waits while a run holds the lock, from its plan to the end of its apply', async () => {
  const { assess, run, take, agent, report, configuration } = await assessable(ground);
  await configuration();
  expect((await assess()).status).toBe(200);
  const { id } = (await run({ 'auto-apply': true })).item;
  const next = async () => jobOf(ground, await take(agent));
  const plan = await next();
  expect(plan.runId).toBe(id);
  expect((await take(agent)).status).toBe(204);
  await plan.finish({ status: 'finished', 'has-changes': true });
  const apply = await next();
  expect([apply.runId, apply.part]).toEqual([id, 'apply']);
  expect((await take(agent)).status).toBe(204);
  const { rows } = await sql<{ run_id: string }>`
    select run_id from ws_assessments where workspace_id = (select workspace_id from ws_runs where id = ${id})`.execute(
    ground.service.store.db,
  );
  const assessed = rows[0]?.run_id ?? '';
  // Runs of assessments are hidden from programs of the operator too.
  expect((await report(assessed, 'plan', { status: 'running' })).status).toBe(404);
  await apply.finish({ status: 'finished' });
  expect((await next()).runId).toBe(assessed);
});

test.each([
  ['writer', 404, 200, 404],
  ['reader', 404, 200, 404],
] as const)('a %s reads results, without plans and logs, and begins none', async (who, begun, read, file) => {
  const stage = await assessable(ground);
  await stage.assess();
  await stage.perform({});
  const { id } = (await stage.current()).item;
  const { token } = stage[who];
  expect((await stage.assess(token)).status).toBe(begun);
  const of = async (path: string) => (await ground.call('GET', path, undefined, token)).status;
  expect(await of(`/workspaces/${stage.workspace.id}/current-assessment-result`)).toBe(read);
  expect(await of(`/assessment-results/${id}`)).toBe(read);
  for (const name of ['json-output', 'log-output']) expect(await of(`/assessment-results/${id}/${name}`)).toBe(file);
  const stranger = await ground.user((await ground.organization()).id);
  expect((await ground.call('GET', `/assessment-results/${id}`, undefined, stranger.token)).status).toBe(404);
});

test('a busy workspace, and one that has nothing to assess, are refused', async () => {
  const { assess, run, workspace, act } = await assessable(ground);
  const { id } = (await run()).item;
  expect((await assess()).errors[0]?.detail).toContain('it is locked, or has an active run');
  await act(id, 'discard');
  await sql`update ws_workspaces set resource_count = 0 where id = ${workspace.id}`.execute(ground.service.store.db);
  expect((await assess()).status).toBe(422);
  await sql`update ws_workspaces set resource_count = 1 where id = ${workspace.id}`.execute(ground.service.store.db);
  expect((await assess()).status).toBe(200);
  expect((await assess()).errors[0]?.detail).toBe('This workspace is being assessed already');
});

test('five assessments are kept, with their files', async () => {
  const { assess, perform, workspace } = await assessable(ground);
  const kept = async (table: string) => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(table)} where workspace_id = ${workspace.id}`.execute(
      ground.service.store.db,
    );
    return rows[0]?.count;
  };
  const files = async () => Number(await kept('ws_blobs'));
  const before = await files();
  for (let count = 0; count < 7; count += 1) {
    await assess();
    await perform({});
  }
  expect([await kept('ws_assessments'), await kept('ws_runs'), (await files()) - before]).toEqual([5, 5, 10]);
});

test('triggers of assessments are taken for a project too', async () => {
  const { organization } = await assessable(ground);
  const answer = await ground.call(
    'POST',
    `/projects/${organization.projectId}/notification-configurations`,
    documentOf('notification-configurations', {
      name: 'n',
      'destination-type': 'generic',
      url: 'http://127.0.0.1:9/',
      triggers: ['assessment:drifted', 'assessment:check_failure', 'assessment:failed'],
    }),
  );
  expect(answer.status).toBe(201);
});
