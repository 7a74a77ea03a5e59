import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { put } from '../../support/files.ts';
import { workspaceGround } from '../../support/ground.ts';
import { archive, runnableWorkspace } from './runs-of.ts';

// What a waiting run waits for, and which runs a workspace refuses.
const ground = workspaceGround();

type Runnable = Awaited<ReturnType<typeof runnableWorkspace>>;

const set = ({ workspace }: Runnable, settings: object) =>
  sql`update ws_workspaces set settings = settings || ${JSON.stringify(settings)}::jsonb where id = ${workspace.id}`.execute(
    ground.service.store.db,
  );

const timesOf = async ({ writer }: Runnable, id: string) =>
  (await ground.call('GET', `/runs/${id}`, undefined, writer.token)).item.attributes['status-timestamps'];

test('the first run of a workspace waits for an agent only, those behind it are pending until it ends', async () => {
  const runnable = await runnableWorkspace(ground);
  const { configuration, run, status, planned, act } = runnable;
  await configuration();
  const [first, second] = [(await run()).item.id, (await run()).item.id];
  const onlyPlans = (await run({ 'plan-only': true })).item.id;
  const saves = (await run({ 'save-plan': true })).item.id;
  const all = async () => [await status(first), await status(second), await status(onlyPlans), await status(saves)];
  expect(await all()).toEqual(['plan_queued', 'pending', 'plan_queued', 'plan_queued']);
  expect(await timesOf(runnable, first)).toHaveProperty('plan-queued-at');
  expect(await timesOf(runnable, second)).not.toHaveProperty('plan-queued-at');
  await planned(first);
  expect(await all()).toEqual(['planned', 'pending', 'plan_queued', 'plan_queued']);
  await act(first, 'discard');
  expect(await all()).toEqual(['discarded', 'plan_queued', 'plan_queued', 'plan_queued']);
});

test('a run of a locked workspace is pending until the lock is released', async () => {
  const { configuration, run, status, workspace, writer } = await runnableWorkspace(ground);
  await configuration();
  const lock = (action: string) =>
    ground.call('POST', `/workspaces/${workspace.id}/actions/${action}`, {}, writer.token);
  expect((await lock('lock')).status).toBe(200);
  const { id } = (await run()).item;
  expect(await status(id)).toBe('pending');
  expect((await lock('unlock')).status).toBe(200);
  expect(await status(id)).toBe('plan_queued');
});

test('a run without its configuration is pending until the upload', async () => {
  const { workspace, run, status, writer } = await runnableWorkspace(ground);
  const body = { data: { type: 'configuration-versions', attributes: { 'auto-queue-runs': false } } };
  const path = `/workspaces/${workspace.id}/configuration-versions`;
  const { item } = await ground.call('POST', path, body, writer.token);
  const related = { 'configuration-version': { data: { type: 'configuration-versions', id: item.id } } };
  const { id } = (await run({}, writer.token, related)).item;
  expect(await status(id)).toBe('pending');
  await put(item.attributes['upload-url'], archive);
  expect(await status(id)).toBe('plan_queued');
});

test('a confirmed run shows since when its apply waits', async () => {
  const runnable = await runnableWorkspace(ground);
  await runnable.configuration();
  const { id } = (await runnable.run()).item;
  await runnable.planned(id);
  await runnable.act(id, 'apply');
  expect(await runnable.status(id)).toBe('apply_queued');
  expect(await timesOf(runnable, id)).toMatchObject({
    'confirmed-at': expect.any(String),
    'apply-queued-at': expect.any(String),
  });
  const list = `/organizations/${runnable.organization.name}/workspaces?filter[current-run][status]=`;
  const found = async (statuses: string) => (await ground.call('GET', `${list}${statuses}`)).items.map((one) => one.id);
  expect(await found('apply_queued')).toEqual([runnable.workspace.id]);
  expect(await found('confirmed')).toEqual([]);
});

test('a workspace that does not allow destroy plans refuses each run that destroys', async () => {
  const runnable = await runnableWorkspace(ground);
  await runnable.configuration();
  await set(runnable, { 'allow-destroy-plan': false });
  for (const attributes of [{ 'is-destroy': true }, { 'is-destroy': true, 'plan-only': true }]) {
    const refused = await runnable.run(attributes);
    expect([refused.status, refused.errors[0]?.source?.pointer]).toEqual([422, '/data/attributes/is-destroy']);
  }
  expect((await runnable.run()).status).toBe(201);
  await set(runnable, { 'allow-destroy-plan': true });
  expect((await runnable.run({ 'is-destroy': true })).status).toBe(201);
});

test('the version of the engine can be chosen for a plan-only run, if one can match it', async () => {
  const { configuration, run } = await runnableWorkspace(ground);
  await configuration();
  expect((await run({ 'engine-version': '1.9.0' })).status).toBe(422);
  expect((await run({ 'engine-version': 'newest', 'plan-only': true })).status).toBe(422);
  const made = await run({ 'engine-version': '1.9.0', 'plan-only': true });
  expect(made.item.attributes).toMatchObject({ 'engine-version': '1.9.0', 'terraform-version': '1.9.0' });
});

test('a waiting run is executed by force: the runs in front of it are canceled, but not one that is being applied', async () => {
  const { configuration, run, status, planned, act, report, planner } = await runnableWorkspace(ground);
  await configuration();
  const [first, second, third] = [(await run()).item.id, (await run()).item.id, (await run()).item.id];
  const onlyPlans = (await run({ 'plan-only': true })).item.id;
  await planned(first);
  expect((await act(first, 'force-execute')).status).toBe(409);
  expect((await act(onlyPlans, 'force-execute')).status).toBe(409);
  expect((await act(third, 'force-execute', planner.token)).status).toBe(404);
  await act(first, 'apply');
  await report(first, 'apply', { status: 'running' });
  const refused = await act(third, 'force-execute');
  expect([refused.status, refused.errors[0]?.detail]).toEqual([409, expect.stringContaining(first)]);
  await report(first, 'apply', { status: 'errored' });
  await report(second, 'plan', { status: 'running' });
  expect((await act(third, 'force-execute')).status).toBe(202);
  expect([await status(second), await status(third)]).toEqual(['canceled', 'plan_queued']);
  expect(await status(onlyPlans)).toBe('plan_queued');
  expect((await report(third, 'plan', { status: 'running' })).status).toBe(200);
});
