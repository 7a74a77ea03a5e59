import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { workspaceGround } from '../../support/ground.ts';
import { runnableWorkspace } from './runs-of.ts';

const ground = workspaceGround();

const begin = Date.parse('2026-01-01T00:00:00.000Z');

/** The outcome of a part that took this long. */
const outcome = (milliseconds: number | undefined) =>
  milliseconds === undefined
    ? {}
    : {
        status: 'finished',
        timestamps: {
          'started-at': new Date(begin).toISOString(),
          'finished-at': new Date(begin + milliseconds).toISOString(),
        },
      };

interface Past {
  readonly status: string;
  readonly plan?: number;
  readonly apply?: number;
}

async function measuredWorkspace() {
  const runnable = await runnableWorkspace(ground);
  await runnable.configuration();
  const { id } = runnable.workspace;
  let number = 0;
  /** Adds a run that ended earlier. */
  const past = async ({ status, plan, apply }: Past) => {
    number += 1;
    await sql`
      insert into ws_runs (id, workspace_id, status, plan, apply)
      values (${`run-${id}${number}`}, ${id}, ${status}, ${JSON.stringify(outcome(plan))}, ${JSON.stringify(outcome(apply))})`.execute(
      ground.service.store.db,
    );
  };
  const shown = async () => (await ground.call('GET', `/workspaces/${id}`)).item.attributes;
  /** Ends a run without a finished plan. */
  const canceled = async () => {
    const { item } = await runnable.run();
    expect((await runnable.act(item.id, 'cancel')).status).toBe(202);
  };
  return { ...runnable, past, shown, canceled };
}

test('a workspace without finished runs has no averages', async () => {
  const { run, shown } = await measuredWorkspace();
  await run();
  expect(await shown()).toMatchObject({
    'plan-duration-average': null,
    'apply-duration-average': null,
    'policy-check-failures': 0,
    'run-failures': 0,
    'workspace-kpis-runs-count': 0,
  });
});

test('the measures are those of the last 30 finished runs', async () => {
  const { past, shown, canceled, organization } = await measuredWorkspace();
  for (let n = 0; n < 5; n += 1) await past({ status: 'errored', plan: 900_000, apply: 900_000 });
  for (let n = 0; n < 9; n += 1) await past({ status: 'errored', plan: 1_000 });
  for (let n = 0; n < 9; n += 1) await past({ status: 'planned_and_finished', plan: 2_000 });
  for (let n = 0; n < 11; n += 1) await past({ status: 'applied', plan: 3_000, apply: 4_001 });
  await past({ status: 'planned', plan: 900_000 });
  await canceled();
  const measures = {
    'plan-duration-average': Math.round((9 * 1_000 + 9 * 2_000 + 11 * 3_000) / 29),
    'apply-duration-average': 4_001,
    'run-failures': 9,
    'workspace-kpis-runs-count': 30,
  };
  expect(await shown()).toMatchObject(measures);
  const listed = await ground.call('GET', `/organizations/${organization.name}/workspaces`);
  expect(listed.items).toMatchObject([{ attributes: measures }]);
});

test('every change of the status of a run is a change of its workspace, also of a run that takes no lock', async () => {
  const { run, report, shown } = await measuredWorkspace();
  const { id } = (await run({ 'plan-only': true })).item;
  const times: unknown[] = [(await shown())['latest-change-at']];
  for (const status of ['running', 'errored']) {
    expect((await report(id, 'plan', { status })).status).toBe(200);
    times.push((await shown())['latest-change-at']);
  }
  expect(times).toEqual([...new Set(times)].toSorted());
  expect(await shown()).toMatchObject({
    'run-failures': 1,
    'workspace-kpis-runs-count': 1,
    'plan-duration-average': null,
    'apply-duration-average': null,
  });
});

test('the policy that applies to old versions is described', async () => {
  const { organization, workspace, shown } = await measuredWorkspace();
  const of = async () => (await shown())['effective-state-version-retention-desc'];
  const set = (path: string, data: object) =>
    ground.call('POST', `${path}/relationships/data-retention-policy`, { data });
  expect(await of()).toBeNull();
  const older = { type: 'data-retention-policy-delete-olders', attributes: { 'delete-older-than-n-days': 30 } };
  expect((await set(`/organizations/${organization.name}`, older)).status).toBe(200);
  expect(await of()).toBe("Deleted after 30 days, by the organization's policy");
  await set(`/workspaces/${workspace.id}`, { type: 'data-retention-policy-dont-deletes' });
  expect(await of()).toBe("Never deleted, by the workspace's own policy");
  expect((await shown())['effective-run-data-retention-desc']).toBe(await of());
});
