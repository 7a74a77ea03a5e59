import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { documentOf } from '../../support/documents.ts';
import { put } from '../../support/files.ts';
import { type WorkspaceGround, workspaceGround } from '../../support/ground.ts';
import { archive } from '../runs/runs-of.ts';
import { jobOf, poolOf } from './pool-of.ts';

// What a run waits for, as its log says, and who gets the next place.
const ground = workspaceGround({ KEYFERRY_RUNS_PER_ORGANIZATION_MAX: '1', KEYFERRY_RUN_SYNC_WAIT_MS: '3600000' });

const logOf = async (id: string) => {
  const shown = await ground.call('GET', `/runs/${id}/plan`);
  return (await fetch(String(shown.item.attributes['log-read-url']))).text();
};

/** A second workspace of the same organization, with a pool of its own or the same. */
async function besideOf(of: WorkspaceGround, { organization }: Awaited<ReturnType<typeof poolOf>>, poolId: string) {
  const workspace = await of.workspace(organization.id, organization.projectId);
  const { db } = of.service.store;
  await sql`update ws_workspaces set execution_mode = 'agent', agent_pool_id = ${poolId} where id = ${workspace.id}`.execute(
    db,
  );
  const body = documentOf('configuration-versions', { 'auto-queue-runs': false });
  const made = await of.call('POST', `/workspaces/${workspace.id}/configuration-versions`, body);
  await put(made.item.attributes['upload-url'], archive);
  return workspace;
}

const runIn = async (workspaceId: string, attributes: object = {}) =>
  (
    await ground.call(
      'POST',
      '/runs',
      documentOf('runs', attributes, { workspace: { type: 'workspaces', id: workspaceId } }),
    )
  ).item.id;

test('a waiting run says that no agent is connected, once, and goes on with the same log', async () => {
  const { configuration, run, register, take } = await poolOf(ground);
  await configuration();
  const { id } = (await run({ 'plan-only': true })).item;
  expect(await logOf(id)).toBe(
    '\u0002Waiting for an agent of the pool build: none is connected. Start one with a token of the pool.\n',
  );
  const agent = await register();
  for (const _read of [1, 2])
    expect((await logOf(id)).split('\n').slice(1)).toEqual([
      'Waiting for an agent of the pool build: 1 is connected.',
      '',
    ]);
  const job = jobOf(ground, await take(agent));
  const size = Buffer.byteLength(await logOf(id));
  expect((await job.log(size, 'begins\n')).status).toBe(200);
  await job.finish({ status: 'finished' });
  expect(await logOf(id)).toMatch(/^\u0002Waiting .*\nWaiting .*\nbegins\n\u0003$/);
});

test('an organization has only so many runs in progress: the others say so, and each pool and workspace gets its turn', async () => {
  const stage = await poolOf(ground);
  const { configuration, run, register, take, organization } = stage;
  await configuration();
  const other = await ground.call(
    'POST',
    `/organizations/${organization.name}/agent-pools`,
    documentOf('agent-pools', { name: 'other' }),
  );
  const made = await ground.call(
    'POST',
    `/agent-pools/${other.item.id}/authentication-tokens`,
    documentOf('authentication-tokens', { description: 'd' }),
  );
  const otherToken = String(made.item.attributes['token']);
  const beside = await besideOf(ground, stage, other.item.id);
  const [first, second] = [(await run({ 'plan-only': true })).item.id, (await run({ 'plan-only': true })).item.id];
  const third = await runIn(beside.id, { 'plan-only': true });
  const [one, two] = [await register(), await register()];
  const registered = await ground.call(
    'POST',
    '/agents',
    documentOf('agents', { name: 'o', version: '1' }),
    otherToken,
  );
  const takeOther = () =>
    ground.call(
      'POST',
      `/agents/${registered.item.id}/actions/take`,
      documentOf('agents', { 'wait-seconds': 0 }),
      otherToken,
    );
  const [job, none] = await Promise.all([take(one), take(two)]).then((taken) =>
    taken.toSorted((a, b) => a.status - b.status),
  );
  expect([job?.status, none?.status]).toEqual([200, 204]);
  const began = jobOf(ground, job ?? (await take(one)));
  expect(began.runId).toBe(first);
  expect((await takeOther()).status).toBe(204);
  expect(await logOf(third)).toContain('Waiting: 1 run of the organization are in progress');
  await began.finish({ status: 'finished' });
  // The older run has an idle agent, so that it is not the turn of the newer one.
  expect((await takeOther()).status).toBe(204);
  const next = jobOf(ground, await take(two));
  expect(next.runId).toBe(second);
  await next.finish({ status: 'finished' });
  expect(jobOf(ground, await takeOther()).runId).toBe(third);
});

/** How a destination names the variables of a workspace. */
const targets = {
  id: async ({ workspace }: Pool) => ({ workspace_id: workspace.id }),
  name: async ({ workspace, organization }: Pool) => ({
    organization_name: organization.name,
    workspace_name: workspace.name,
  }),
  async 'a variable set'({ workspace, organization }: Pool) {
    const workspaces = [{ type: 'workspaces', id: workspace.id }];
    const body = documentOf('varsets', { name: ground.service.name('set') }, { workspaces });
    const made = await ground.call('POST', `/organizations/${organization.name}/varsets`, body);
    return { variable_set_id: made.item.id };
  },
};
type Pool = Awaited<ReturnType<typeof poolOf>>;

test.each(Object.entries(targets))(
  'a plan waits for a pending sync to the variables of its workspace, by %s, says so, and goes on when it has waited long enough',
  async (_name, targetOf) => {
    const pool = await poolOf(ground);
    const { configuration, run, register, take } = pool;
    const { service } = ground;
    await configuration();
    await service.api.write('sys/sync/config', { disabled: true });
    const destination = `sys/sync/destinations/workspace-vars/${service.name('vars')}`;
    await service.api.write(destination, { address: 'https://keys.test', token: 't', ...(await targetOf(pool)) });
    const secret = { mount: 'secret', secret_name: service.name('for-runs') };
    await service.api.write(`secret/data/${secret.secret_name}`, { data: { user: 'app' } });
    await service.api.write(`${destination}/associations/set`, secret);
    const { id } = (await run({ 'plan-only': true })).item;
    const agent = await register();
    expect((await take(agent)).status).toBe(204);
    const other = await poolOf(ground);
    await other.configuration();
    const unconcerned = (await other.run({ 'plan-only': true })).item.id;
    expect(jobOf(ground, await other.take(await other.register())).runId).toBe(unconcerned);
    expect(await logOf(id)).toBe('\u0002Waiting for a sync to the variables of this workspace.\n');
    await sql`
    update ws_runs set timestamps = timestamps || '{"plan-queued-at": "2020-01-01T00:00:00.000Z"}' where id = ${id}`.execute(
      service.store.db,
    );
    const job = jobOf(ground, await take(agent));
    expect(job.runId).toBe(id);
    expect(await logOf(id)).toContain('Not waiting any longer for a sync to the variables of this workspace');
    await job.finish({ status: 'finished' });
    await sql`update associations set observed_generation = generation`.execute(service.store.db);
    const next = (await run({ 'plan-only': true })).item.id;
    expect(jobOf(ground, await take(agent)).runId).toBe(next);
  },
);
