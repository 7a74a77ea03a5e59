import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { workspaceGround } from '../../support/ground.ts';
import { addedTask } from '../run-tasks/service-of.ts';
import { jobOf, poolOf } from './pool-of.ts';

// A cancel that was accepted while an agent planned, and a plan that ends before the agent learns of it.
const ground = workspaceGround();

const textOf = async (runId: string) => {
  const shown = await ground.call('GET', `/runs/${runId}/plan`);
  return (await fetch(String(shown.item.attributes['log-read-url']))).text();
};

async function planning(attributes: object = { 'auto-apply': true }) {
  const stage = await poolOf(ground);
  await stage.configuration();
  const agent = await stage.register();
  const begin = async () => {
    const { id } = (await stage.run(attributes)).item;
    return { id, job: jobOf(ground, await stage.take(agent)) };
  };
  return { ...stage, agent, begin };
}

const finished = { status: 'finished', 'has-changes': true };

test.each([
  ['that would be applied at once', { 'auto-apply': true }],
  ['that would wait for confirmation', {}],
  ['that is saved', { 'save-plan': true }],
  ['that only plans', { 'plan-only': true }],
])('a run %s is canceled when its plan finishes after the cancel', async (_which, attributes) => {
  const { begin, act, status, row, take, agent, run } = await planning(attributes);
  const { id, job } = await begin();
  expect((await act(id, 'cancel')).status).toBe(202);
  expect((await job.finish(finished)).status).toBe(204);
  expect([await status(id), (await row())?.lock_kind]).toEqual(['canceled', null]);
  expect((await take(agent)).status).toBe(204);
  expect(await textOf(id)).toMatch(/\u0003$/);
  const events = await ground.call('GET', `/runs/${id}/run-events`);
  expect(events.items.map((one) => one.attributes['action'])).toEqual([
    'created',
    'planning',
    'cancel_requested',
    'canceled',
  ]);
  const next = (await run(attributes)).item.id;
  expect(jobOf(ground, await take(agent)).runId).toBe(next);
});

test('a plan that finishes after the cancel asks no run task', async () => {
  const stage = await planning();
  const { service } = await addedTask(ground, stage, { stages: ['post_plan'] });
  const { id, job } = await stage.begin();
  await stage.act(id, 'cancel');
  await job.finish(finished);
  await ground.service.notify();
  expect([await stage.status(id), service.received.length]).toEqual(['canceled', 0]);
  const [shown] = (await ground.call('GET', `/runs/${id}/task-stages`)).items;
  expect(shown?.attributes['status']).toBe('unreachable');
});

test('a run that an earlier release let on to its run tasks after the cancel ends with them', async () => {
  const stage = await planning();
  const { asked, say } = await addedTask(ground, stage, { stages: ['post_plan'] });
  const { id, job } = await stage.begin();
  await job.finish(finished);
  await sql`
    update ws_runs set timestamps = timestamps || '{"cancel-requested-at": "2026-01-01T00:00:00.000Z"}' where id = ${id}`.execute(
    ground.service.store.db,
  );
  await say(await asked(), { status: 'passed' });
  expect([await stage.status(id), (await stage.row())?.lock_kind]).toEqual(['canceled', null]);
});

test('an apply that finishes after the cancel is applied', async () => {
  const { begin, act, status, take, agent } = await planning();
  const { id, job } = await begin();
  await job.finish(finished);
  const apply = jobOf(ground, await take(agent));
  await act(id, 'cancel');
  await apply.finish({ status: 'finished' });
  expect(await status(id)).toBe('applied');
});

test('a program that reports its plan as finished after the cancel has its run canceled', async () => {
  const { run, report, act, status, configuration } = await poolOf(ground);
  await configuration();
  const { id } = (await run({ 'auto-apply': true })).item;
  await report(id, 'plan', { status: 'running' });
  await act(id, 'cancel');
  expect((await report(id, 'plan', finished)).status).toBe(200);
  expect(await status(id)).toBe('canceled');
});
