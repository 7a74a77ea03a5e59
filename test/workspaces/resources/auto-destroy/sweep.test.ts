import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { receiver } from '#test/support/servers/receiver.ts';
import { tendEphemeral } from '#workspaces/resources/auto-destroy-runs/sweep.ts';
import { documentOf } from '../../support/documents.ts';
import { workspaceGround } from '../../support/ground.ts';
import { runnableWorkspace } from '../runs/runs-of.ts';

const ground = workspaceGround();
const db = () => ground.service.store.db;
const round = (countMax = 100) => tendEphemeral(ground.service.store, countMax);
const hours = (count: number): string => new Date(Date.now() + count * 3_600_000).toISOString();

/** A workspace with a configuration and two resources, and a receiver of its notifications. */
async function ephemeral(settings: object = {}) {
  const stage = await runnableWorkspace(ground);
  const { workspace, organization } = stage;
  await stage.configuration();
  await sql`update ws_workspaces set resource_count = 2 where id = ${workspace.id}`.execute(db());
  const configuration = await ground.call(
    'POST',
    `/workspaces/${workspace.id}/notification-configurations`,
    documentOf('notification-configurations', {
      name: 'n',
      'destination-type': 'generic',
      enabled: true,
      url: (await receiver()).url,
      triggers: ['workspace:auto_destroy_reminder', 'workspace:auto_destroy_run_results'],
    }),
  );
  const change = (attributes: object, token?: string) =>
    ground.call('PATCH', `/workspaces/${workspace.id}`, documentOf('workspaces', attributes), token);
  if (Object.keys(settings).length > 0) expect((await change(settings)).errors).toEqual([]);
  const shown = async () => (await ground.call('GET', `/workspaces/${workspace.id}`)).item.attributes;
  const runs = async () => (await ground.call('GET', `/workspaces/${workspace.id}/runs`)).items;
  const messages = async () => {
    const { rows } = await sql<{ payload: Record<string, unknown> }>`
      select payload from ws_deliveries where notification_id = ${configuration.item.id} order by id`.execute(db());
    return rows.map(({ payload }) => payload);
  };
  /** Lets time pass: the workspace, and what was scheduled for it, are as old as if it had. */
  const pass = async (count: number) => {
    const ago = sql`make_interval(secs => ${count * 3_600})`;
    await sql`
      update ws_workspaces set latest_change_at = latest_change_at - ${ago},
             settings = case when settings->>'auto-destroy-at' is null then settings else settings || jsonb_build_object('auto-destroy-at',
               to_char(((settings->>'auto-destroy-at')::timestamptz - ${ago}) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end
       where id = ${workspace.id}`.execute(db());
    await sql`
      update ws_auto_destroys set look_at = look_at - ${ago}, destroy_at = destroy_at - ${ago} where workspace_id = ${workspace.id}`.execute(
      db(),
    );
  };
  return { ...stage, organization, change, shown, runs, messages, pass };
}

test('at the chosen time one destroy run is queued, reminders went before, and the result is told', async () => {
  const { shown, runs, messages, pass, report, workspace } = await ephemeral({ 'auto-destroy-at': hours(30) });
  await round();
  expect([await runs(), await messages()]).toEqual([[], []]);
  await pass(7);
  await Promise.all([round(), round()]);
  await round();
  await pass(12);
  await round();
  expect((await messages()).map(({ trigger, message }) => [trigger, message])).toEqual([
    ['workspace:auto_destroy_reminder', 'The resources of the workspace will be destroyed in 24 hours'],
    ['workspace:auto_destroy_reminder', 'The resources of the workspace will be destroyed in 12 hours'],
  ]);
  expect((await messages())[0]).toMatchObject({
    trigger_scope: 'workspace',
    details: { workspace_id: workspace.id, workspace_name: workspace.name },
  });
  expect(await runs()).toEqual([]);
  await pass(12);
  await Promise.all([round(), round()]);
  await round();
  const [run, ...others] = await runs();
  expect(others).toEqual([]);
  expect(run?.attributes).toMatchObject({
    'is-destroy': true,
    'auto-apply': true,
    source: 'tfe-infrastructure-lifecycle',
  });
  expect(await shown()).toMatchObject({ 'auto-destroy-at': null, 'auto-destroy-status': 'queued' });
  const id = run?.id ?? '';
  for (const part of ['plan', 'apply'] as const) {
    await report(id, part, { status: 'running' });
    expect((await report(id, part, { status: 'finished', 'has-changes': true })).status).toBe(200);
  }
  expect(await shown()).toMatchObject({ 'auto-destroy-status': 'finished' });
  expect((await messages()).at(-1)).toMatchObject({
    trigger: 'workspace:auto_destroy_run_results',
    details: { run_id: id, run_status: 'applied' },
  });
});

test('a workspace without activity is destroyed after its duration, and activity postpones that', async () => {
  const { shown, runs, pass, change } = await ephemeral({ 'auto-destroy-activity-duration': '8h' });
  const due = async () => Date.parse(String((await shown())['auto-destroy-at']));
  expect(await due()).toBeGreaterThan(Date.now() + 7 * 3_600_000);
  await pass(7);
  await change({ description: 'active' });
  expect(await due()).toBeGreaterThan(Date.now() + 7 * 3_600_000);
  await round();
  await pass(7);
  await round();
  expect(await runs()).toEqual([]);
  await pass(2);
  await round();
  await round();
  expect(await runs()).toHaveLength(1);
  expect(await due()).toBeGreaterThan(Date.now() + 7 * 3_600_000);
});

test('a workspace inherits the duration of its project unless it says otherwise', async () => {
  const { shown, runs, pass, change, organization } = await ephemeral();
  const path = `/projects/${organization.projectId}`;
  await ground.call('PATCH', path, documentOf('projects', { 'auto-destroy-activity-duration': '2h' }));
  expect(await shown()).toMatchObject({
    'auto-destroy-activity-duration': '2h',
    'inherits-project-auto-destroy': true,
    'auto-destroy-at': expect.any(String),
  });
  await change({ 'inherits-project-auto-destroy': false });
  await pass(3);
  await round();
  expect(await runs()).toEqual([]);
  await change({ 'inherits-project-auto-destroy': true });
  await round();
  await pass(3);
  await round();
  expect(await runs()).toHaveLength(1);
});

test('a workspace that refuses to be destroyed is left alone, and its receivers learn the reason', async () => {
  const { shown, runs, pass, messages } = await ephemeral({
    'allow-destroy-plan': false,
    'auto-destroy-at': hours(1),
  });
  await pass(2);
  await round();
  await round();
  expect(await runs()).toEqual([]);
  expect(await shown()).toMatchObject({ 'auto-destroy-at': null, 'auto-destroy-status': 'errored' });
  expect(await messages()).toMatchObject([
    { trigger: 'workspace:auto_destroy_run_results', message: expect.stringContaining('does not allow destroy plans') },
  ]);
});

test('a workspace without resources has nothing to destroy', async () => {
  const { shown, runs, pass, workspace } = await ephemeral({ 'auto-destroy-at': hours(1) });
  await sql`update ws_workspaces set resource_count = 0 where id = ${workspace.id}`.execute(db());
  await pass(2);
  await round();
  expect(await runs()).toEqual([]);
  expect(await shown()).toMatchObject({ 'auto-destroy-at': null, 'auto-destroy-status': null });
});

test('one organization with much to destroy does not keep another one waiting', async () => {
  const many = await ephemeral();
  await sql`
    insert into ws_workspaces (id, organization_id, project_id, name, engine_version)
    select ${many.workspace.id} || n, ${many.organization.id}, ${many.organization.projectId}, ${many.workspace.id} || n, 'latest'
      from generate_series(1, 60) n`.execute(db());
  await sql`
    insert into ws_auto_destroys (workspace_id, organization_id, look_at)
    select id, organization_id, now() - interval '1 day' from ws_workspaces where id like ${many.workspace.id} || '_%'`.execute(
    db(),
  );
  const few = await ephemeral({ 'auto-destroy-at': hours(1) });
  await few.pass(2);
  await round(40);
  expect(await few.runs()).toHaveLength(1);
});

test('only an administrator schedules a destruction, and not for a time that has passed', async () => {
  const { change, writer, admin } = await ephemeral();
  const attributes = { 'auto-destroy-at': hours(1) };
  expect((await change(attributes, writer.token)).status).toBe(404);
  expect((await change(attributes, admin.token)).status).toBe(200);
  expect((await change(attributes, admin.token)).status).toBe(200);
  const late = await change({ 'auto-destroy-at': hours(-1) }, admin.token);
  expect([late.status, late.errors[0]?.detail]).toEqual([422, 'Auto destroy at must be in the future']);
});
