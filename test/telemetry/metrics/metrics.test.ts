import { register } from 'prom-client';
import { expect, test } from 'vitest';
import { counters, gauges, histograms } from '#telemetry/metrics/instruments.ts';
import { boundOnce } from '#telemetry/metrics/metrics.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';

const open = () => openMetrics({ process: false });
const read = async (metrics: ReturnType<typeof open>) => (await metrics.text()).body;

test('counters and histograms are in the text exposition', async () => {
  const metrics = open();
  const count = metrics.counter('keyferry_sync_operations_total', { type: 'cloud-a-sm', outcome: 'SYNCED' });
  count();
  count(2);
  metrics.histogram('keyferry_sync_reconcile_duration_seconds', { type: 'cloud-a-sm' })(0.02);
  const body = await read(metrics);
  expect(body).toContain('keyferry_sync_operations_total{type="cloud-a-sm",outcome="SYNCED"} 3\n');
  expect(body).toContain('keyferry_sync_reconcile_duration_seconds_bucket{le="0.025",type="cloud-a-sm"} 1\n');
  expect(await metrics.totals('keyferry_sync_operations_total')).toEqual([
    { labels: { type: 'cloud-a-sm', outcome: 'SYNCED' }, value: 3 },
  ]);
});

test('a gauge that was never set is not exported as 0, and one without a current value is not exported with its old value', async () => {
  const metrics = open();
  const samples = async () =>
    (await read(metrics)).split('\n').filter((line) => /^keyferry_(tokens|sync_jobs)[ {]/.test(line));
  expect(await samples()).toEqual([]);
  metrics.set('keyferry_tokens', [{ labels: {}, value: 7 }]);
  metrics.set('keyferry_sync_jobs', [{ labels: { type: 'a', state: 'waiting' }, value: 1 }]);
  expect(await samples()).toEqual(['keyferry_sync_jobs{type="a",state="waiting"} 1', 'keyferry_tokens 7']);
  metrics.set('keyferry_tokens', []);
  metrics.set('keyferry_sync_jobs', [{ labels: { type: 'b', state: 'active' }, value: 2 }]);
  expect(await samples()).toEqual(['keyferry_sync_jobs{type="b",state="active"} 2']);
});

test('a source that fails or hangs does not prevent the others from being read', async () => {
  const metrics = open();
  metrics.source('failing', () => Promise.reject(new Error('away')));
  metrics.source('throwing', () => {
    throw new Error('at once');
  });
  metrics.source('hanging', () => new Promise(() => {}));
  metrics.source('well', () => metrics.set('keyferry_tokens', [{ labels: {}, value: 1 }]));
  expect(await read(metrics)).toContain('keyferry_tokens 1\n');
});

test('metrics are isolated: two instances do not share anything, and the registry of the package stays empty', async () => {
  const [one, other] = [open(), open()];
  one.counter('keyferry_sweep_rounds_total', { result: 'done' })();
  expect(await read(other)).not.toContain('result="done"');
  expect(await register.metrics()).toBe('\n');
});

test('the metrics of a process show its event loop and memory', async () => {
  const body = await read(openMetrics());
  expect(body).toContain('nodejs_eventloop_lag_p99_seconds');
  expect(body).toContain('process_resident_memory_bytes');
});

test('names follow the rules: our prefix, base units, totals of counters, and few labels', () => {
  const all = Object.entries({ ...counters, ...histograms, ...gauges });
  for (const [name, { labels, help }] of all) {
    expect(name).toMatch(/^keyferry_[a-z_]+$/);
    expect(labels.length).toBeLessThanOrEqual(3);
    expect(help).toMatch(/\.$/);
  }
  for (const name of Object.keys(counters)) expect(name).toMatch(/_total$/);
  for (const name of Object.keys(histograms)) expect(name).toMatch(/_seconds$/);
});

test('a child is bound once for its labels', () => {
  let bound = 0;
  const child = boundOnce((key) => {
    bound += 1;
    return { key };
  });
  expect(child('a')).toBe(child('a'));
  expect(child('b').key).toBe('b');
  expect(bound).toBe(2);
});
