import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { endLostJobs } from '#workspaces/resources/agent-jobs/end.ts';
import { assessDue } from '#workspaces/resources/assessment-runs/sweep.ts';
import { documentOf } from '../../support/documents.ts';
import { workspaceGround } from '../../support/ground.ts';
import { assessable } from './assessable.ts';

const ground = workspaceGround();
const db = () => ground.service.store.db;
const round = () => assessDue(ground.service.store, { countMax: 100, hours: 24 });

async function scheduled() {
  const stage = await assessable(ground);
  const { workspace } = stage;
  const change = (attributes: object) =>
    ground.call('PATCH', `/workspaces/${workspace.id}`, documentOf('workspaces', attributes));
  const count = async () => {
    const { rows } = await sql`select 1 from ws_assessments where workspace_id = ${workspace.id}`.execute(db());
    return rows.length;
  };
  /** Seconds until the sweep looks at the workspace. Undefined: it does not. */
  const next = async () => {
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from look_at - now())::float8 as seconds from ws_assessment_schedules
       where workspace_id = ${workspace.id}`.execute(db());
    return rows[0]?.seconds;
  };
  const pass = () =>
    sql`update ws_assessment_schedules set look_at = now() where workspace_id = ${workspace.id}`.execute(db());
  return { ...stage, change, count, next, pass };
}

test('an enabled workspace is assessed at once, again after a day, and not after it is disabled', async () => {
  const { change, count, next, pass, perform } = await scheduled();
  await round();
  expect([await count(), await next()]).toEqual([0, undefined]);
  await change({ 'assessments-enabled': true });
  await Promise.all([round(), round()]);
  await round();
  expect(await count()).toBe(1);
  expect(await next()).toBeGreaterThan(23 * 3_600);
  await perform({});
  await pass();
  await round();
  expect(await count()).toBe(2);
  await perform({});
  await change({ 'assessments-enabled': false });
  await pass();
  await round();
  expect([await count(), await next()]).toEqual([2, undefined]);
});

test('an organization enforces assessments of all its workspaces', async () => {
  const { organization, count } = await scheduled();
  await ground.call(
    'PATCH',
    `/organizations/${organization.name}`,
    documentOf('organizations', { 'assessments-enforced': true }),
  );
  await round();
  expect(await count()).toBe(1);
});

test('a workspace with an active run is looked at again soon', async () => {
  const { change, count, next, run } = await scheduled();
  await run();
  await change({ 'assessments-enabled': true });
  await round();
  expect(await count()).toBe(0);
  expect(await next()).toBeLessThanOrEqual(600);
});

test('a workspace that cannot be assessed does not keep others waiting', async () => {
  const [empty, other] = [await scheduled(), await scheduled()];
  await sql`update ws_workspaces set resource_count = 0 where id = ${empty.workspace.id}`.execute(db());
  for (const one of [empty, other]) await one.change({ 'assessments-enabled': true });
  await round();
  expect([await empty.count(), await other.count()]).toEqual([0, 1]);
  expect(await empty.next()).toBeGreaterThan(23 * 3_600);
});

test('an assessment that no agent takes fails when the next one is due', async () => {
  const { change, count, pass, current, perform } = await scheduled();
  await change({ 'assessments-enabled': true });
  await round();
  await pass();
  await round();
  expect((await current()).item.attributes).toMatchObject({
    succeeded: false,
    'error-msg': 'The assessment ended as canceled: see its log',
  });
  expect(await count()).toBe(2);
  await perform({});
  expect((await current()).item.attributes['succeeded']).toBe(true);
});

test('an assessment whose agent is lost is tried again, and fails in the end', async () => {
  const { change, take, agent, lose, current } = await scheduled();
  await change({ 'assessments-enabled': true });
  await round();
  for (let tries = 0; tries < 3; tries += 1) {
    await lose(String((await take(agent)).item.attributes['run-id']));
    await endLostJobs(ground.service.store, 10);
  }
  expect((await take(agent)).status).toBe(204);
  expect((await current()).item.attributes).toMatchObject({ succeeded: false });
});
