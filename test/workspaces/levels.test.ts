import { expect, test } from 'vitest';
import { countActiveRuns, countAgents, countWaiting } from '#workspaces/levels.ts';
import { poolOf } from './resources/agent-jobs/pool-of.ts';
import { workspaceGround } from './support/ground.ts';

const ground = workspaceGround();

const countOf = (all: readonly { readonly status: string; readonly count: number }[], status: string): number =>
  all.find((one) => one.status === status)?.count ?? 0;

test('runs are counted by the status that clients see, and agents by whether they work', async () => {
  const { store } = ground.service;
  const stage = await poolOf(ground);
  await stage.configuration();
  const before = countOf(await countActiveRuns(store), 'plan_queued');
  await stage.run();
  expect(countOf(await countActiveRuns(store), 'plan_queued')).toBe(before + 1);
  const idle = countOf(await countAgents(store), 'idle');
  const agent = await stage.register();
  expect(countOf(await countAgents(store), 'idle')).toBe(idle + 1);
  const busy = countOf(await countAgents(store), 'busy');
  expect((await stage.take(agent)).status).toBe(200);
  expect(countOf(await countAgents(store), 'busy')).toBe(busy + 1);
});

test('nothing waits, or what waits has an age', async () => {
  for (const { count, ageSeconds } of await countWaiting(ground.service.store)) {
    expect(count).toBeGreaterThanOrEqual(0);
    expect(ageSeconds).toBeGreaterThanOrEqual(0);
  }
});
