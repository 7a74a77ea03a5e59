import { expect, test } from 'vitest';
import { gaugeService, type ServiceReadings } from '#telemetry/gauges/service.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';

const readings: ServiceReadings = {
  settings: async () => ({ queue_capacity: 10, disabled: true }),
  associations: async () => [{ type: 'a', status: 'SYNCED', count: 4 }],
  unfolded: async () => 9,
  oldestDirty: async () => new Map([['a', 7]]),
  drift: async () => [{ type: 'a', kind: 'foreign', count: 6 }],
  oldestLook: async () => new Map([['a', 8]]),
  destinations: async () => new Map([['a', 3]]),
  tokens: async () => ({ tokens: 2, leases: 1 }),
  breakers: async () => new Map([['a', { open: 2, half_open: 1 }]]),
  pending: async () => 5,
  jobs: async () => new Map([['a', { waiting: 1, active: 2, delayed: 3, unreadable: 0 }]]),
  runs: async () => [
    { status: 'planning', count: 2 },
    { status: 'post_plan_running', count: 1 },
  ],
  agents: async () => [{ status: 'busy', count: 1 }],
  waiting: async () => [{ work: 'commit', count: 3, ageSeconds: 12 }],
};

async function shown(changes: Partial<ServiceReadings> = {}): Promise<readonly string[]> {
  const metrics = openMetrics({ process: false });
  gaugeService(metrics, ['a', 'b'], { ...readings, ...changes });
  return (await metrics.text()).body.split('\n').filter((line) => /^keyferry_/.test(line));
}

test('a circuit breaker is open while no call is made; the deprecated metric calls this state closed', async () => {
  const lines = (await shown()).filter((line) => /breakers|gates/.test(line));
  expect(lines.toSorted()).toEqual([
    'keyferry_sync_circuit_breakers{type="a",state="half_open"} 1',
    'keyferry_sync_circuit_breakers{type="a",state="open"} 2',
    'keyferry_sync_circuit_breakers{type="b",state="half_open"} 0',
    'keyferry_sync_circuit_breakers{type="b",state="open"} 0',
    'keyferry_sync_gates{type="a",state="closed"} 2',
    'keyferry_sync_gates{type="a",state="half_open"} 1',
    'keyferry_sync_gates{type="b",state="closed"} 0',
    'keyferry_sync_gates{type="b",state="half_open"} 0',
  ]);
});

test('statuses of runs and agents that nothing has are 0, and others are not lost', async () => {
  const lines = await shown();
  expect(lines).toEqual(
    expect.arrayContaining([
      'keyferry_workspace_runs{status="planning"} 2',
      'keyferry_workspace_runs{status="plan_queued"} 0',
      'keyferry_workspace_runs{status="post_plan_running"} 1',
      'keyferry_workspace_agents{status="busy"} 1',
      'keyferry_workspace_agents{status="idle"} 0',
      'keyferry_workspace_waiting{work="commit"} 3',
      'keyferry_workspace_oldest_waiting_age_seconds{work="commit"} 12',
    ]),
  );
});

test('changes of counts that are not folded are a gauge', async () => {
  expect(await shown()).toContain('keyferry_sync_unfolded_counts 9');
});

test('drift has a value for each type and kind, and zero where nothing was found', async () => {
  const lines = (await shown()).filter((line) => /drift/.test(line));
  expect(lines).toHaveLength(2 * 4 + 2);
  expect(lines).toEqual(
    expect.arrayContaining([
      'keyferry_sync_drifted_associations{type="a",kind="foreign"} 6',
      'keyferry_sync_drifted_associations{type="b",kind="deleted"} 0',
      'keyferry_sync_oldest_drift_look_age_seconds{type="a"} 8',
      'keyferry_sync_oldest_drift_look_age_seconds{type="b"} 0',
    ]),
  );
});

test('a failed reading removes its own gauges and no others', async () => {
  const fails = () => Promise.reject(new Error('away'));
  const lines = await shown({ breakers: fails, pending: fails });
  const gone = /circuit_breakers|sync_gates|pending_operations|sync_jobs/;
  expect(lines.filter((line) => gone.test(line))).toEqual([]);
  expect(lines).toContain('keyferry_redis_up 0');
  expect(lines).toContain('keyferry_tokens 2');
  expect(lines).toContain('keyferry_sync_destinations{type="b"} 0');
});
