import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { documentOf } from '../../support/documents.ts';
import { workspaceGround } from '../../support/ground.ts';
import { jobOf, poolOf } from './pool-of.ts';

// A run that cannot be taken says what to do about it.
const ground = workspaceGround();

const logOf = async (id: string, part: 'plan' | 'apply' = 'plan') => {
  const shown = await ground.call('GET', `/runs/${id}/${part}`);
  return (await fetch(String(shown.item.attributes['log-read-url']))).text();
};
const db = () => ground.service.store.db;

async function waitingRun(attributes: object = {}) {
  const stage = await poolOf(ground);
  await stage.configuration();
  const agent = await stage.register();
  return { ...stage, agent, id: (await stage.run(attributes)).item.id };
}

type Stage = Awaited<ReturnType<typeof waitingRun>>;

test.each<[string, (stage: Stage) => Promise<unknown>, (stage: Stage) => string]>([
  [
    'in the mode remote without a default pool',
    ({ workspace }) =>
      sql`update ws_workspaces set execution_mode = 'remote', agent_pool_id = null where id = ${workspace.id}`.execute(
        db(),
      ),
    ({ organization }) =>
      `Waiting: the organization ${organization.name} has no default agent pool. Set one, or choose the execution mode agent and a pool for the workspace.`,
  ],
  [
    'whose pool does not serve it any more',
    ({ pool }) =>
      ground.call('PATCH', `/agent-pools/${pool.id}`, documentOf('agent-pools', { 'organization-scoped': false })),
    () =>
      'Waiting: the agent pool build does not serve this workspace. Allow the workspace in the scope of the pool, or choose another pool.',
  ],
  [
    'whose mode became local',
    ({ workspace }) =>
      sql`update ws_workspaces set execution_mode = 'local', agent_pool_id = null where id = ${workspace.id}`.execute(
        db(),
      ),
    () =>
      'Waiting: the execution mode of the workspace is local now, and nothing executes its runs. Discard the run, or change the mode.',
  ],
  [
    'that somebody has locked',
    ({ workspace, writer }) => ground.call('POST', `/workspaces/${workspace.id}/actions/lock`, undefined, writer.token),
    ({ writer }) => `Waiting: the workspace is locked by ${writer.id}. The run goes on when it is unlocked.`,
  ],
])('a run of a workspace %s says so, once', async (_which, change, sentence) => {
  const stage = await waitingRun();
  await change(stage);
  expect((await stage.take(stage.agent)).status).toBe(204);
  for (const _read of [1, 2]) expect(await logOf(stage.id)).toBe(`\u0002${sentence(stage)}\n`);
});

test('a run behind another one says which run holds the lock, and goes on with its log', async () => {
  const { id, run, agent, take } = await waitingRun();
  const next = (await run()).item.id;
  const job = jobOf(ground, await take(agent));
  expect(job.runId).toBe(id);
  expect(await logOf(next)).toBe(`\u0002Waiting for ${id}, which holds the lock of the workspace.\n`);
  await job.finish({ status: 'finished', 'has-changes': false });
  const second = jobOf(ground, await take(agent));
  expect(second.runId).toBe(next);
  await second.finish({ status: 'finished' });
  expect(await logOf(next)).toMatch(/^\u0002Waiting for run-\w+, .*\n\u0003$/);
});

test('a run that takes no lock, and one that has it, do not wait for the lock', async () => {
  const { workspace, run, id, agent, take, act } = await waitingRun();
  await jobOf(ground, await take(agent)).finish({ status: 'finished', 'has-changes': true });
  await act(id, 'apply');
  const agents = 'Waiting for an agent of the pool build: 1 is connected.\n';
  expect(await logOf(id, 'apply')).toBe(`\u0002${agents}`);
  const plan = (await run({ 'plan-only': true })).item.id;
  expect(await logOf(plan)).toBe(`\u0002${agents}`);
  await ground.call('POST', `/workspaces/${workspace.id}/actions/force-unlock`);
});
