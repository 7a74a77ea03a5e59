import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { workspaceGround } from '../../workspaces/support/ground.ts';
import { agentOf, settled } from '../agent-of.ts';

const ground = workspaceGround();

async function otherEngine(): Promise<string> {
  const engines = await mkdtemp(join(tmpdir(), 'engines-'));
  onTestFinished(() => rm(engines, { recursive: true, force: true }));
  await mkdir(join(engines, '1.11.9'));
  const program = join(engines, '1.11.9/terraform');
  await writeFile(program, '#!/bin/sh\necho \'{"terraform_version":"1.11.9"}\'\n');
  await chmod(program, 0o755);
  return engines;
}

test('a plan is applied by the engine that made it, or not at all', async () => {
  const { configure, run, until, logOf, act, start, stopping, running, row } = await agentOf(ground);
  // A file of the configuration says nothing about the plan.
  await configure({ '.keyferry-engine.json': '{"name":"terraform","version":"1.11.9"}' });
  const runs = [(await run()).item.id];
  expect(await until(runs[0] ?? '', settled)).toBe('planned');
  await act(runs[0] ?? '', 'apply');
  expect(await until(runs[0] ?? '', settled.slice(1)), await logOf(runs[0] ?? '', 'apply')).toBe('applied');
  const { id } = (await run()).item;
  expect(await until(id, settled)).toBe('planned');
  stopping.abort();
  await running;
  start({ engines: await otherEngine(), environment: { PATH: '/usr/bin:/bin' } });
  await act(id, 'apply');
  expect(await until(id, settled.slice(1))).toBe('errored');
  expect(await logOf(id, 'apply')).toContain(
    'The plan was made with terraform 1.11.4. This agent has terraform 1.11.9. Nothing was applied',
  );
  expect(await row()).toMatchObject({ lock_kind: null });
});
