import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { workspaceGround } from '../../workspaces/support/ground.ts';
import { settled } from '../agent-of.ts';
import { isolates } from '../apart/isolates.ts';
import { endedBy, holds, poolOfProcesses } from './agent-process.ts';

// The process of an agent that is killed in the middle of its work.
const ground = workspaceGround();
const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test.each(['plan', 'apply'] as const)('an agent that is killed during the %s', async (part) => {
  const stage = await poolOfProcesses(ground);
  const begun = join(stage.signs, 'begun');
  await stage.configure({ [`${part}.sh`]: `while :; do date >> "${begun}"; sleep 0.1; done` });
  const { id } = (await stage.run({ 'auto-apply': true })).item;
  const child = stage.startAgent();
  await holds(() => existsSync(begun));
  await endedBy(child, 'SIGKILL');
  await delay(500);
  if (await isolates()) {
    const last = statSync(begun).size;
    await delay(1_000);
    expect(statSync(begun).size, 'the engine dies with its agent').toBe(last);
  } else console.info('this machine cannot isolate runs: the engine outlives its agent');
  await stage.lose(id);
  // While an agent waits, jobs of lost agents are ended.
  const taking = stage.take(await stage.register(), 55);
  if (part === 'plan') {
    const { status, item } = await taking;
    expect([status, item.attributes['run-id']]).toEqual([200, id]);
    return;
  }
  expect(await stage.until(id, settled)).toBe('errored');
  expect(await stage.logOf(id, 'apply')).toContain('The apply is not repeated');
  expect(await stage.row()).toMatchObject({ lock_kind: null });
  expect((await stage.take(await stage.register())).status).toBe(204);
});
