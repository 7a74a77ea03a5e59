import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { workspaceGround } from '../../workspaces/support/ground.ts';
import { agentOf, settled, standIn } from '../agent-of.ts';
import { isolates } from '../apart/isolates.ts';

// The process of an agent that is killed in the middle of its work.
const ground = workspaceGround();
const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test.each(['plan', 'apply'] as const)('an agent that is killed during the %s', async (part) => {
  // The agent of the stage only makes the pool, and stops before it works.
  const stage = await agentOf(ground);
  stage.stopping.abort();
  await stage.running;
  const folder = await mkdtemp(join(tmpdir(), 'killed-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const begun = join(stage.signs, 'begun');
  await stage.configure({ [`${part}.sh`]: `while :; do date >> "${begun}"; sleep 0.1; done` });
  const { id } = (await stage.run({ 'auto-apply': true })).item;
  const child = spawn(process.execPath, ['infra/commands/agent.ts'], {
    env: {
      PATH: `${standIn}:/usr/bin:/bin`,
      KEYFERRY_AGENT_ADDRESS: ground.service.address,
      KEYFERRY_AGENT_TOKEN: stage.token,
      KEYFERRY_AGENT_DIR: folder,
      TF_PLUGIN_CACHE_DIR: stage.signs,
    },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  while (!existsSync(begun)) await delay(100);
  child.kill('SIGKILL');
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
