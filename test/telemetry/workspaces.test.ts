import { expect, test } from 'vitest';
import { openMetrics } from '#telemetry/metrics/open.ts';
import { loopTelemetry, runWaitTelemetry, workspaceWorkTelemetry } from '#telemetry/workspaces.ts';

test('the work of the sweep is counted by its result, and each counter is there from the start', async () => {
  const metrics = openMetrics({ process: false });
  const see = workspaceWorkTelemetry(metrics);
  see('commit', 'done');
  see('run_task_result', 'dead', 3);
  const { body } = await metrics.text();
  expect(body).toContain('keyferry_workspace_work_total{work="commit",result="done"} 1');
  expect(body).toContain('keyferry_workspace_work_total{work="run_task_result",result="dead"} 3');
  expect(body).toContain('keyferry_workspace_work_total{work="notification",result="failed"} 0');
});

test('a turn of a loop counts as done or failed, and its error goes on', async () => {
  const metrics = openMetrics({ process: false });
  const counted = loopTelemetry(metrics);
  expect(await counted('commits', async (count: number) => count)(4)).toBe(4);
  await expect(counted('tokens', () => Promise.reject(new Error('away')))()).rejects.toThrow('away');
  const { body } = await metrics.text();
  expect(body).toContain('keyferry_sweep_loops_total{loop="commits",result="done"} 1');
  expect(body).toContain('keyferry_sweep_loops_total{loop="tokens",result="failed"} 1');
});

test('the wait of a run is observed by its part', async () => {
  const metrics = openMetrics({ process: false });
  runWaitTelemetry(metrics)('apply', 2);
  expect((await metrics.text()).body).toContain('keyferry_run_wait_seconds_sum{part="apply"} 2');
});
