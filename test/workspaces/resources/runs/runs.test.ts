import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { lockedWorkspace, md5Of, put, stateText, stateVersion } from '../../support/files.ts';
import { workspaceGround } from '../../support/ground.ts';
import { runnableWorkspace } from './runs-of.ts';

const ground = workspaceGround();

test('a run is planned, confirmed and applied by an agent, and holds the lock from the plan to its end', async () => {
  const { configuration, run, report, act, status, row, admin, writer, workspace } = await runnableWorkspace(ground);
  await configuration();
  const made = await run({ message: 'first', 'target-addrs': ['null_resource.one'] });
  expect(made.status).toBe(201);
  const { id } = made.item;
  expect(made.item.attributes).toMatchObject({
    status: 'plan_queued',
    message: 'first',
    source: 'tfe-api',
    refresh: true,
    'is-destroy': false,
    'terraform-version': '1.11.4',
    'target-addrs': ['null_resource.one'],
    'position-in-queue': 0,
    permissions: { 'can-apply': true, 'can-force-cancel': false },
  });
  expect(await row()).toMatchObject({ lock_kind: null, current_run_id: id, runs_count: 0 });
  const running = await report(id, 'plan', { status: 'running' });
  expect(running.item.attributes).toMatchObject({ status: 'running' });
  expect(await row()).toMatchObject({ lock_kind: 'runs', lock_holder: id, current_run_id: id });
  expect((await report(id, 'plan', { status: 'running' })).status).toBe(200);
  expect((await report(id, 'plan', { status: 'running' }, admin.token)).status).toBe(409);
  const text = stateText();
  const path = `/workspaces/${workspace.id}/state-versions`;
  const body = { serial: 1, md5: md5Of(text), state: btoa(text) };
  expect((await ground.call('POST', path, stateVersion(body), writer.token)).status).toBe(409);
  const finished = { status: 'finished', 'has-changes': true, 'resource-additions': 2 };
  expect((await report(id, 'plan', finished)).item.attributes).toMatchObject({ ...finished, 'has-changes': true });
  expect(await status(id)).toBe('planned');
  expect((await act(id, 'apply')).status).toBe(202);
  expect(await status(id)).toBe('apply_queued');
  await report(id, 'apply', { status: 'running' });
  const snapshot = stateVersion({ ...body, intermediate: true }, id);
  const state = await ground.call('POST', path, snapshot, writer.token);
  expect(state.item.attributes).toMatchObject({ intermediate: true, status: 'finalized' });
  expect(state.item.relationships['run']).toEqual({ data: { id, type: 'runs' } });
  await report(id, 'apply', { status: 'finished', 'resource-additions': 2 });
  expect(await status(id)).toBe('applied');
  expect(await row()).toMatchObject({ lock_kind: null, lock_holder: null, current_run_id: id });
  const current = await ground.call(
    'GET',
    `/workspaces/${workspace.id}/current-state-version`,
    undefined,
    writer.token,
  );
  expect(current.item.id).toBe(state.item.id);
  const events = await ground.call('GET', `/runs/${id}/run-events`, undefined, writer.token);
  expect(events.items.map(({ attributes }) => attributes['action'])).toEqual([
    ...['created', 'planning', 'planned', 'confirmed', 'applying', 'applied'],
  ]);
});

test('runs of a workspace are serialized, even when two agents start them concurrently', async () => {
  const { configuration, run, report, act, status, planned } = await runnableWorkspace(ground);
  await configuration();
  const [first, second, third] = [(await run()).item.id, (await run()).item.id, (await run()).item.id];
  const queue = await ground.call('GET', `/runs/${third}`);
  expect(queue.item.attributes['position-in-queue']).toBe(2);
  const tried = await report(second, 'plan', { status: 'running' });
  expect(tried.status).toBe(409);
  expect(tried.errors[0]?.detail).toContain('another run of the workspace is ahead of it');
  await planned(first);
  expect((await report(second, 'plan', { status: 'running' })).status).toBe(409);
  expect((await act(first, 'discard')).status).toBe(202);
  expect(await status(first)).toBe('discarded');
  const both = await Promise.all([
    report(second, 'plan', { status: 'running' }),
    report(third, 'plan', { status: 'running' }),
  ]);
  expect(both.map((answer) => answer.status).sort()).toEqual([200, 409]);
  expect(await status(second)).toBe('planning');
});

test('runs of a locked workspace cannot be planned', async () => {
  const { configuration, run, report, writer, workspace } = await runnableWorkspace(ground);
  await configuration();
  const { id } = (await run()).item;
  await sql`update ws_workspaces set lock_kind = 'users', lock_holder = ${writer.id} where id = ${workspace.id}`.execute(
    ground.service.store.db,
  );
  const answer = await report(id, 'plan', { status: 'running' });
  expect(answer.status).toBe(409);
  expect(answer.errors[0]?.detail).toContain('the workspace is locked');
  const onlyPlans = (await run({ 'plan-only': true })).item.id;
  expect((await report(onlyPlans, 'plan', { status: 'running' })).status).toBe(200);
});

test.each([
  ['nothing to apply', {}, { status: 'finished', 'has-changes': false }, 'planned_and_finished'],
  ['a requested empty apply', { 'allow-empty-apply': true }, { status: 'finished', 'has-changes': false }, 'planned'],
  ['a plan-only run', { 'plan-only': true }, { status: 'finished', 'has-changes': true }, 'planned_and_finished'],
  ['a saved plan', { 'save-plan': true }, { status: 'finished', 'has-changes': true }, 'planned_and_saved'],
  ['an automatic apply', { 'auto-apply': true }, { status: 'finished', 'has-changes': true }, 'apply_queued'],
  ['a plan that fails', {}, { status: 'errored' }, 'errored'],
])('the status after a plan: %s', async (_what, attributes, outcome, expected) => {
  const { configuration, run, report, act, status, row } = await runnableWorkspace(ground);
  await configuration();
  const { id } = (await run(attributes)).item;
  await report(id, 'plan', { status: 'running' });
  expect((await report(id, 'plan', outcome)).status).toBe(200);
  expect(await status(id)).toBe(expected);
  expect((await row())?.run_failures).toBe(expected === 'errored' ? 1 : 0);
  expect((await row())?.lock_holder ?? null).toBe(['planned', 'apply_queued'].includes(expected) ? id : null);
  if (expected !== 'planned_and_saved') return;
  expect((await act(id, 'apply')).status).toBe(202);
  expect(await row()).toMatchObject({ lock_kind: 'runs', lock_holder: id });
});

test('waiting runs are canceled immediately, runs in progress when their agent reports it or by force', async () => {
  const { configuration, run, report, act, status, admin, row } = await runnableWorkspace(ground);
  await configuration();
  const waits = (await run()).item.id;
  expect((await act(waits, 'force-cancel', admin.token)).status).toBe(409);
  expect((await act(waits, 'cancel')).status).toBe(202);
  expect(await status(waits)).toBe('canceled');
  const works = (await run()).item.id;
  await report(works, 'plan', { status: 'running' });
  expect((await act(works, 'cancel')).status).toBe(202);
  expect(await status(works)).toBe('planning');
  const asked = await ground.call('GET', `/runs/${works}`);
  expect(asked.item.attributes['actions']).toMatchObject({ 'is-cancelable': false, 'is-force-cancelable': true });
  await report(works, 'plan', { status: 'canceled' });
  expect(await status(works)).toBe('canceled');
  const silent = (await run()).item.id;
  await report(silent, 'plan', { status: 'running' });
  await act(silent, 'cancel');
  expect((await act(silent, 'force-cancel')).status).toBe(404);
  expect((await act(silent, 'force-cancel', admin.token)).status).toBe(202);
  expect(await row()).toMatchObject({ lock_kind: null });
  expect((await report(silent, 'plan', { status: 'finished' })).status).toBe(409);
  expect((await act(silent, 'apply')).status).toBe(409);
  expect((await act(silent, 'discard')).status).toBe(409);
});

test('runs need a configuration, a workspace with remote execution, and valid attributes', async () => {
  const { configuration, run, workspace } = await runnableWorkspace(ground);
  expect((await run()).errors[0]?.detail).toBe('Configuration version is missing');
  await configuration();
  expect((await run({ 'is-destroy': true, 'refresh-only': true })).status).toBe(422);
  expect((await run({ 'refresh-only': true, refresh: false })).status).toBe(422);
  expect((await run({ 'save-plan': true, 'plan-only': true })).status).toBe(422);
  expect((await run({ message: 5, 'target-addrs': 'x', variables: [{ key: '' }] })).errors).toHaveLength(4);
  const unknown = { 'configuration-version': { data: { type: 'configuration-versions', id: 'cv-none' } } };
  expect((await run({}, undefined, unknown)).status).toBe(422);
  expect((await run({}, undefined, { workspace: { data: null } })).status).toBe(422);
  await sql`update ws_workspaces set execution_mode = 'local' where id = ${workspace.id}`.execute(
    ground.service.store.db,
  );
  const local = await run();
  expect(local.status).toBe(422);
  expect(local.errors[0]?.detail).toContain('execution mode is local');
});

test('each level allows what its name says', async () => {
  const { configuration, run, report, act, planned, planner, reader, organization, workspace } =
    await runnableWorkspace(ground);
  await configuration();
  const token = await ground.organizationToken(organization.id);
  expect((await run({}, reader.token)).status).toBe(404);
  expect((await run({}, token)).status).toBe(404);
  expect((await run({ 'auto-apply': true }, planner.token)).status).toBe(404);
  expect((await run({ 'is-destroy': true }, planner.token)).status).toBe(404);
  const { id } = (await run({ variables: [{ key: 'k', value: '"marker-run"' }] }, planner.token)).item;
  expect((await report(id, 'plan', { status: 'running' }, planner.token)).status).toBe(404);
  await planned(id);
  expect((await act(id, 'apply', planner.token)).status).toBe(404);
  const shown = await ground.call('GET', `/runs/${id}`, undefined, reader.token);
  expect(shown.item.attributes).toMatchObject({ variables: [{ key: 'k', value: '"marker-run"' }] });
  const plan = await ground.call('GET', `/runs/${id}/plan`, undefined, reader.token);
  expect(plan.item.attributes['log-upload-url']).toBeNull();
  const stranger = await ground.user((await ground.organization()).id);
  expect((await ground.call('GET', `/runs/${id}`, undefined, stranger.token)).status).toBe(404);
  const { rows } = await sql<{
    text: string;
  }>`select ws_runs::text as text from ws_runs where workspace_id = ${workspace.id}`.execute(ground.service.store.db);
  expect(JSON.stringify(rows)).not.toContain('marker-run');
});

test('lists are filtered by status, group, operation, name and text, and contain the same documents', async () => {
  const { configuration, run, report, organization, workspace, writer } = await runnableWorkspace(ground);
  await configuration();
  const plain = (await run({ message: 'Needle in it' })).item.id;
  const destroys = (await run({ 'is-destroy': true })).item.id;
  const onlyPlans = (await run({ 'plan-only': true })).item.id;
  await report(onlyPlans, 'plan', { status: 'running' });
  await report(onlyPlans, 'plan', { status: 'finished' });
  const list = async (query: string, path = `/workspaces/${workspace.id}/runs`) =>
    (await ground.call('GET', `${path}?${query}`, undefined, writer.token)).items.map(({ id }) => id);
  expect(await list('')).toEqual([onlyPlans, destroys, plain]);
  expect(await list('filter[status]=pending,applied')).toEqual([destroys]);
  expect(await list('filter[status]=plan_queued')).toEqual([plain]);
  expect(await list('filter[status_group]=final')).toEqual([onlyPlans]);
  expect(await list('filter[operation]=destroy,plan_only')).toEqual([onlyPlans, destroys]);
  expect(await list('search[basic]=needle')).toEqual([plain]);
  expect(await list(`search[user]=${writer.id}&page[size]=1`)).toEqual([onlyPlans]);
  expect(await list('filter[source]=tfe-ui')).toEqual([]);
  const ofOrganization = `/organizations/${organization.name}/runs`;
  expect(await list(`filter[workspace_names]=${workspace.name}`, ofOrganization)).toEqual([onlyPlans, destroys, plain]);
  expect(await list('filter[workspace_names]=other', ofOrganization)).toEqual([]);
  const [listed] = (await ground.call('GET', ofOrganization, undefined, writer.token)).items;
  expect(listed).toEqual((await ground.call('GET', `/runs/${onlyPlans}`, undefined, writer.token)).item);
  expect((await ground.call('GET', `${ofOrganization}?filter[operation]=x`, undefined, writer.token)).status).toBe(400);
  const included = await ground.call(
    'GET',
    `/runs/${plain}?include=plan,apply,configuration_version`,
    undefined,
    writer.token,
  );
  expect(included.body?.included?.map(({ type }) => type)).toEqual(['plans', 'applies', 'configuration-versions']);
});

test('an agent uploads a log, and clients read it piece by piece', async () => {
  const { configuration, run, report } = await runnableWorkspace(ground);
  await configuration();
  const { id } = (await run()).item;
  const { attributes } = (await report(id, 'plan', { status: 'running' })).item;
  const read = async (query: string) => (await fetch(`${attributes['log-read-url']}?${query}`)).text();
  expect(await read('limit=10&offset=0')).toBe('');
  expect((await put(attributes['log-upload-url'], 'begun')).status).toBe(200);
  const text = `begun and ${'x'.repeat(600_000)} ended`;
  expect((await put(attributes['log-upload-url'], text)).status).toBe(200);
  expect(await read('limit=5&offset=0')).toBe('begun');
  expect(await read('offset=262000&limit=400')).toBe(text.slice(262_000, 262_400));
  expect(await read(`offset=${text.length - 5}&limit=100`)).toBe('ended');
  expect(await read(`offset=${text.length}&limit=100`)).toBe('');
  expect((await fetch(`${attributes['log-read-url']}?limit=x`)).status).toBe(400);
});

test('an applied run queues runs in the workspaces that it triggers', async () => {
  const source = await runnableWorkspace(ground);
  const target = await lockedWorkspace(ground);
  await source.configuration();
  const { store } = ground.service;
  await sql`insert into ws_run_triggers (id, workspace_id, source_id) values ('rt-1', ${target.id}, ${source.workspace.id})`.execute(
    store.db,
  );
  await sql`insert into ws_configuration_versions (id, workspace_id, status) values ('cv-t', ${target.id}, 'uploaded')`.execute(
    store.db,
  );
  const { id } = (await source.run({ 'auto-apply': true })).item;
  await source.planned(id);
  await source.report(id, 'apply', { status: 'running' });
  await source.report(id, 'apply', { status: 'finished' });
  const { items } = await ground.call('GET', `/workspaces/${target.id}/runs`);
  expect(items.map(({ attributes }) => attributes)).toMatchObject([
    { message: `Triggered by ${id}`, 'trigger-reason': 'run-trigger', status: 'pending', 'auto-apply': false },
  ]);
});
