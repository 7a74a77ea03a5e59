import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { endLostJobs } from '#workspaces/resources/agent-jobs/end.ts';
import { md5Of, put, stateText, stateVersion } from '../../support/files.ts';
import { workspaceGround } from '../../support/ground.ts';
import { addedTask } from '../run-tasks/service-of.ts';
import { jobOf, poolOf } from './pool-of.ts';

// Agents that die, come back too late, or are told to stop.
const ground = workspaceGround();
const sweep = () => endLostJobs(ground.service.store, 100);

const logOf = async (runId: string, part: 'plan' | 'apply') => {
  const shown = await ground.call('GET', `/runs/${runId}/${part}`);
  return (await fetch(String(shown.item.attributes['log-read-url']))).text();
};

test('the plan of a lost agent is queued again, three times at most, and the lost agent changes nothing more', async () => {
  const { configuration, run, status, row, register, take, lose } = await poolOf(ground);
  await configuration();
  const { id } = (await run()).item;
  const agent = await register();
  const first = jobOf(ground, await take(agent));
  await first.log(1, 'first');
  await lose(id);
  expect((await first.extend()).status).toBe(401);
  await Promise.all([sweep(), sweep()]);
  expect([await status(id), (await row())?.lock_kind]).toEqual(['plan_queued', null]);
  const second = jobOf(ground, await take(agent));
  expect(second.id).toBe(first.id);
  expect((await first.log(6, 'late')).status).toBe(401);
  expect((await first.finish({ status: 'finished', 'has-changes': true })).status).toBe(401);
  expect(await status(id)).toBe('planning');
  await lose(id);
  await sweep();
  const third = jobOf(ground, await take(agent));
  expect(third.runId).toBe(id);
  await lose(id);
  await sweep();
  expect([await status(id), (await row())?.lock_kind]).toEqual(['errored', null]);
  expect((await take(agent)).status).toBe(204);
  const log = await logOf(id, 'plan');
  expect(log).toMatch(
    /^\u0002first\nThe agent agent-\w+ has not reported for 60 seconds\. The plan is queued again\.\n/,
  );
  expect(log).toMatch(/The plan was tried 3 times\.\n\u0003$/);
});

test('the apply of a lost agent ends as errored, is never repeated, and keeps the last state that arrived', async () => {
  const { configuration, run, status, row, register, take, lose, workspace } = await poolOf(ground);
  await configuration();
  const { id } = (await run({ 'auto-apply': true })).item;
  const agent = await register();
  await jobOf(ground, await take(agent)).finish({ status: 'finished', 'has-changes': true });
  const apply = jobOf(ground, await take(agent));
  const text = stateText();
  const states = `/workspaces/${workspace.id}/state-versions`;
  const version = (serial: number, more: object = {}) =>
    ground.call('POST', states, stateVersion({ serial, md5: md5Of(text), ...more }, id), apply.token);
  const snapshot = await version(1, { intermediate: true });
  await put(snapshot.item.attributes['hosted-state-upload-url'], text);
  const late = await version(2);
  await lose(id);
  expect((await put(late.item.attributes['hosted-state-upload-url'], text)).status).toBe(404);
  await sweep();
  expect([await status(id), (await row())?.lock_kind, (await row())?.run_failures]).toEqual(['errored', null, 1]);
  expect((await version(3)).status).toBe(401);
  expect((await take(agent)).status).toBe(204);
  expect(await logOf(id, 'apply')).toContain('The apply is not repeated');
  const current = await ground.call('GET', `/workspaces/${workspace.id}/current-state-version`);
  expect(current.item.id).toBe(snapshot.item.id);
});

test('an apply that its agent never began is queued again with the lock and without its tasks, three times at most', async () => {
  const stage = await poolOf(ground);
  const { configuration, run, status, row, register, take, lose } = stage;
  await configuration();
  const { asked, say } = await addedTask(ground, stage, { stages: ['pre_apply'] });
  const { id } = (await run({ 'auto-apply': true })).item;
  const agent = await register();
  await jobOf(ground, await take(agent)).finish({ status: 'finished', 'has-changes': true });
  await say(await asked(), { status: 'passed' });
  const first = jobOf(ground, await take(agent));
  await lose(id);
  await Promise.all([sweep(), sweep()]);
  expect([await status(id), (await row())?.lock_holder]).toEqual(['apply_queued', id]);
  expect((await first.read()).status).toBe(401);
  const second = jobOf(ground, await take(agent));
  expect([second.runId, second.part, await status(id)]).toEqual([id, 'apply', 'applying']);
  await lose(id);
  await sweep();
  const third = jobOf(ground, await take(agent));
  await lose(id);
  await sweep();
  expect([third.runId, await status(id), (await row())?.lock_kind]).toEqual([id, 'errored', null]);
  expect((await take(agent)).status).toBe(204);
  const log = await logOf(id, 'apply');
  expect(log).toContain('has not reported for 60 seconds. The apply is queued again.\n');
  expect(log).toMatch(/The apply was tried 3 times\.\n\u0003$/);
});

/** As a process extends a lease that does not know of unused tokens. */
const extendAsBefore = ({ runId }: ReturnType<typeof jobOf>) =>
  sql`update ws_run_jobs set lease_until = now() + interval '61 seconds' where run_id = ${runId} and lease_until is not null`.execute(
    ground.service.store.db,
  );

test.each([
  ['has read it', (job: ReturnType<typeof jobOf>) => job.read()],
  ['has only extended its lease', (job: ReturnType<typeof jobOf>) => job.extend()],
  ['has only read the plan', (job: ReturnType<typeof jobOf>) => job.file('plan-file')],
  ['was answered by a process of an earlier release', extendAsBefore],
])('an apply whose agent %s may have begun: it is not repeated', async (_how, use) => {
  const { configuration, run, status, register, take, lose } = await poolOf(ground);
  await configuration();
  const { id } = (await run({ 'auto-apply': true })).item;
  const agent = await register();
  await jobOf(ground, await take(agent)).finish({ status: 'finished', 'has-changes': true });
  const unbegun = await take(agent);
  await lose(id);
  await sweep();
  expect(unbegun.status).toBe(200);
  await use(jobOf(ground, await take(agent)));
  await lose(id);
  await sweep();
  expect(await status(id)).toBe('errored');
  expect(await logOf(id, 'apply')).toContain('The apply is not repeated');
});

test('an agent learns that its run is to be canceled; if it is lost then, the run is canceled', async () => {
  const { configuration, run, status, act, register, take, lose } = await poolOf(ground);
  await configuration();
  const agent = await register();
  const { id } = (await run()).item;
  const job = jobOf(ground, await take(agent));
  await act(id, 'cancel');
  expect((await job.extend()).item.attributes['cancel-requested']).toBe(true);
  expect((await job.finish({ status: 'canceled' })).status).toBe(204);
  expect(await status(id)).toBe('canceled');
  const other = (await run()).item.id;
  await take(agent);
  await act(other, 'cancel');
  await lose(other);
  await sweep();
  expect(await status(other)).toBe('canceled');
});

test('the token of a run ends with a forced cancel', async () => {
  const { configuration, run, status, act, admin, register, take } = await poolOf(ground);
  await configuration();
  const { id } = (await run()).item;
  const job = jobOf(ground, await take(await register()));
  await act(id, 'cancel');
  expect((await act(id, 'force-cancel', admin.token)).status).toBe(202);
  expect([(await job.extend()).status, (await job.log(1, 'x')).status, await status(id)]).toEqual([
    401,
    401,
    'canceled',
  ]);
});
