import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { endLostJobs } from '#workspaces/resources/agent-jobs/end.ts';
import { workspaceGround } from '../workspaces/support/ground.ts';
import { agentOf, settled } from './agent-of.ts';
import { isolates } from './apart/isolates.ts';

// Runs that are canceled, take too much, or lose their lease; and configurations that look around.
const ground = workspaceGround();

/** Says when it begins, stops when it is interrupted, and leaves a process behind that would go on. */
const waits = (begun: string) => `
  (trap '' INT; while :; do date > "${begun}.left"; sleep 0.2; done) &
  trap 'echo interrupted; exit 1' INT
  touch "${begun}"
  while :; do sleep 0.1; done`;

async function begins(path: string): Promise<void> {
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 50));
}

test('a canceled run is interrupted, and none of its processes goes on', async () => {
  const { configure, run, until, logOf, act, signs, folders } = await agentOf(ground);
  const begun = join(signs, 'begun');
  await configure({ 'plan.sh': waits(begun) });
  const { id } = (await run()).item;
  await begins(begun);
  await act(id, 'cancel');
  expect(await until(id, settled)).toBe('canceled');
  expect(await logOf(id, 'plan')).toContain('interrupted\n\nThe run was canceled.\n\u0003');
  const { statSync } = await import('node:fs');
  const last = statSync(`${begun}.left`).mtimeMs;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(statSync(`${begun}.left`).mtimeMs).toBe(last);
  expect((await folders()).filter((name) => name.startsWith('keyferry-run'))).toEqual([]);
});

test('an engine that ignores its interruption is killed after the grace', async () => {
  const { configure, run, until, act, signs } = await agentOf(ground, { graceMs: 500 });
  const begun = join(signs, 'begun');
  await configure({ 'plan.sh': `trap '' INT TERM; touch "${begun}"; while :; do sleep 0.1; done` });
  const { id } = (await run()).item;
  await begins(begun);
  await act(id, 'cancel');
  expect(await until(id, settled)).toBe('canceled');
});

test('a run that takes too long, or writes too much, is stopped with the reason', async () => {
  const long = await agentOf(ground, { runMsMax: 1_000 });
  await long.configure({ 'plan.sh': 'while :; do sleep 0.1; done' });
  const slow = (await long.run()).item.id;
  expect(await long.until(slow, settled)).toBe('errored');
  expect(await long.logOf(slow, 'plan')).toContain('The engine ran longer than this agent allows');
  const small = await agentOf(ground, { diskBytesMax: 4 * 1024 * 1024 });
  await small.configure({
    'plan.sh': 'for n in 1 2 3 4 5 6; do head -c 1000000 /dev/zero > "$TMPDIR/$n"; done; while :; do sleep 0.1; done',
  });
  const { id } = (await small.run()).item;
  expect(await small.until(id, settled)).toBe('errored');
  expect(await small.logOf(id, 'plan')).toContain('The run wrote more than this agent allows');
});

test('an agent that has lost its apply stores nothing more, keeps the state on its machine, and goes on working', async () => {
  const { configure, run, until, signs, folders, workspace } = await agentOf(ground);
  const begun = join(signs, 'begun');
  await configure({
    'apply.sh': `
      printf '{"version": 4, "serial": 7, "lineage": "l-7", "outputs": {}, "resources": []}' > terraform.tfstate
      ${waits(begun)}`,
  });
  const { id } = (await run({ 'auto-apply': true })).item;
  await begins(begun);
  const { store } = ground.service;
  await sql`update ws_run_jobs set lease_until = now() - interval '1 second' where run_id = ${id} and part = 'apply'`.execute(
    store.db,
  );
  await endLostJobs(store, 10);
  expect(await until(id, settled)).toBe('errored');
  await configure({ 'plan.sh': 'echo same > keyferry.tfplan; exit 0' });
  const next = (await run()).item.id;
  expect(await until(next, settled)).toBe('planned_and_finished');
  expect(await folders()).toContain(`${id}.tfstate`);
  expect((await ground.call('GET', `/workspaces/${workspace.id}/current-state-version`)).status).toBe(404);
});

test('a hostile configuration finds neither the agent nor its environment', async () => {
  const { configure, run, until, logOf, token, running } = await agentOf(ground, { isolation: 'required' });
  if (!(await isolates())) {
    console.info('this machine cannot isolate runs: unshare with user namespaces does not work');
    return expect(running).rejects.toThrow('runs cannot be isolated');
  }
  await configure({
    'plan.sh': `
      cat /proc/[0-9]*/environ | tr '\\0' '\\n'
      echo "processes: $(ls -d /proc/[0-9]* | wc -l)"
      env`,
  });
  const { id } = (await run({ 'plan-only': true })).item;
  expect(await until(id, settled)).toBe('planned_and_finished');
  const log = await logOf(id, 'plan');
  expect(Number(/processes: (\d+)/.exec(log)?.[1])).toBeLessThan(10);
  expect(log).not.toContain('marker-agent');
  expect(log).not.toContain(token);
  expect(log).not.toContain('VITEST');
});

test('an agent that is stopped ends its job first; a second signal interrupts it', async () => {
  const { configure, run, until, stopping, interruption, signs, running } = await agentOf(ground);
  const begun = join(signs, 'begun');
  await configure({ 'plan.sh': waits(begun) });
  const { id } = (await run()).item;
  await begins(begun);
  stopping.abort();
  interruption.abort();
  await running;
  expect(await until(id, settled)).toBe('canceled');
});
