import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newId } from '#workspaces/frame/ids.ts';
import { policyLane } from '#workspaces/resources/policy-evaluator/lane.ts';
import { workspaceGround } from '../../support/ground.ts';
import { runnableWorkspace } from '../runs/runs-of.ts';

const ground = workspaceGround();

/** An organization with runs whose policies wait for their evaluation. */
async function waitingRuns(count: number) {
  const { organization, configuration, run } = await runnableWorkspace(ground);
  await configuration();
  const { db } = ground.service.store;
  for (let made = 0; made < count; made += 1) {
    const { id } = (await run()).item;
    const stage = newId('ts');
    await sql`insert into ws_task_stages (id, run_id, stage) values (${stage}, ${id}, 'post_plan')`.execute(db);
    await sql`
      insert into ws_policy_evaluations (id, stage_id, organization_id, next_at)
      values (${newId('poleval')}, ${stage}, ${organization.id}, now())`.execute(db);
  }
  return organization.id;
}

test('an organization has two evaluations at once, and each gets a turn before any gets a second one', async () => {
  const [busy, other] = [await waitingRuns(4), await waitingRuns(1)];
  const { store } = ground.service;
  const lane = policyLane(store, undefined, AbortSignal.timeout(600_000));
  const claimed = async () => {
    const { rows } = await sql<{ organization_id: string; count: number }>`
      select organization_id, count(*)::int as count from ws_policy_evaluations where status = 'running' group by 1`.execute(
      store.db,
    );
    return Object.fromEntries(rows.map((row) => [row.organization_id, row.count]));
  };
  expect(await lane.claim(2)).toHaveLength(2);
  expect(await claimed()).toEqual({ [busy]: 1, [other]: 1 });
  expect(await lane.claim(9)).toHaveLength(1);
  expect(await claimed()).toEqual({ [busy]: 2, [other]: 1 });
  expect(await lane.claim(9)).toEqual([]);
});
