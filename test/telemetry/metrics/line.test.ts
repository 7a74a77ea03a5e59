import { expect, test } from 'vitest';
import { metricLine, metricsPerInvocation } from '#telemetry/metrics/line.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';
import { keptLog } from '../../queue/queues.ts';

const dimensions = { function: 'worker', type: 'cloud-a-sm' };

test('a line is in the embedded metric format of CloudWatch', () => {
  const line = metricLine(dimensions, new Date(1_700_000_000_000), { operations_SYNCED: 2, duration: 12 });
  expect(line).toEqual({
    _aws: {
      Timestamp: 1_700_000_000_000,
      CloudWatchMetrics: [
        {
          Namespace: 'Keyferry',
          Dimensions: [['function', 'type']],
          Metrics: [
            { Name: 'operations_SYNCED', Unit: 'Count' },
            { Name: 'duration', Unit: 'Milliseconds' },
          ],
        },
      ],
    },
    function: 'worker',
    type: 'cloud-a-sm',
    operations_SYNCED: 2,
    duration: 12,
  });
});

test('an invocation reports its own counts, and none of earlier invocations', async () => {
  const log = keptLog();
  const metrics = openMetrics({ process: false });
  const measured = metricsPerInvocation(metrics, log, dimensions);
  const synced = metrics.counter('keyferry_sync_operations_total', { type: 'cloud-a-sm', outcome: 'SYNCED' });
  const throttled = metrics.counter('keyferry_sync_failures_total', { type: 'cloud-a-sm', kind: 'throttled' });
  await measured(async () => synced(3));
  await measured(async () => {
    synced();
    throttled();
  });
  expect(log.lines.map(({ fields }) => fields)).toEqual([
    expect.objectContaining({ operations_SYNCED: 3 }),
    expect.objectContaining({ operations_SYNCED: 1, failures_throttled: 1 }),
  ]);
  expect(log.lines[0]?.fields).not.toHaveProperty('failures_throttled');
});

test('an invocation that fails reports too, and fails', async () => {
  const log = keptLog();
  const measured = metricsPerInvocation(openMetrics({ process: false }), log, dimensions);
  await expect(measured(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(log.lines).toHaveLength(1);
});
