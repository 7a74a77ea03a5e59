import { expect, test } from 'vitest';
import type { Log } from '#core/log/log.ts';
import type { Finish } from '#sync/model/finish.ts';
import { destinationMeasures } from '#telemetry/destinations.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';
import { resultOf, syncTelemetry } from '#telemetry/sync.ts';
import { noTracing } from '#telemetry/traces/tracing.ts';

const type = 'cloud-a-sm';
const destinations = { failed() {}, succeeded() {} };

const failed: Finish = {
  id: '7',
  token: 't',
  generation: 1,
  done: false,
  status: 'PENDING',
  error: { kind: 'throttled', message: 'm' },
  records: [],
  attempts: 1,
  retryMs: 10,
  written: [],
  kept: [],
  removed: [],
  tombstoned: [],
  remembered: null,
  rechecked: null,
  attempt: { outcome: 'synced', durationMs: 12, calls: 1, requestId: null },
};
const done: Finish = { ...failed, done: true, status: 'SYNCED', error: null };

/** A log that keeps the fields of its scopes. */
function scopedLog() {
  const scopes: object[] = [];
  const none = () => {};
  const log: Log = {
    debug: none,
    info: none,
    warn: none,
    error: none,
    scope(fields, work) {
      scopes.push(fields);
      return work();
    },
  };
  return { log, scopes };
}

test.each([
  [done, 'settled', 'SYNCED'],
  [{ ...done, status: 'CLIENT_SIDE_ERROR' } as const, 'settled', 'CLIENT_SIDE_ERROR'],
  [failed, 'settled', 'retried'],
  [{ ...failed, error: null }, 'settled', 'unfinished'],
  [done, 'superseded', 'superseded'],
  [failed, 'lost', 'lost'],
] as const)('an attempt (%#) that was %s is counted as %s', (attempt, finished, outcome) => {
  expect(resultOf(attempt, finished)).toBe(outcome);
});

test('refusals of the gate are counted by reason and passed on unchanged', async () => {
  const metrics = openMetrics({ process: false });
  const observed = syncTelemetry({ type, metrics, destinations, tracing: noTracing, log: scopedLog().log });
  const refusal = { admitted: false, waitMs: 5, reason: 'circuit-open' } as const;
  const gate = observed.gate({ enter: async () => refusal });
  const budget = { callsPerSecond: 1, burst: 1, concurrencyMax: 1, passMs: 1 };
  expect(await gate.enter('1', budget)).toBe(refusal);
  expect(await metrics.totals('keyferry_sync_gate_refusals_total')).toEqual([
    { labels: { type, reason: 'broken' }, value: 1 },
  ]);
});

test('claims are counted by outcome', async () => {
  const metrics = openMetrics({ process: false });
  const observed = syncTelemetry({ type, metrics, destinations, tracing: noTracing, log: scopedLog().log });
  const claim = observed.claim(async (id) => (id === '7' ? { kind: 'busy' } : { kind: 'clean', generation: 1 }));
  for (const id of ['7', '8', '7']) await claim(id);
  expect(await metrics.totals('keyferry_sync_claims_total')).toEqual([
    { labels: { type, outcome: 'busy' }, value: 2 },
    { labels: { type, outcome: 'clean' }, value: 1 },
  ]);
});

test('the first destinations have their own labels, the others share one, and a setting of 0 exports none', async () => {
  const metrics = openMetrics({ process: false });
  const measured = destinationMeasures(metrics, 2, () => 5_000);
  const names = ['a', 'team/b', 'c', 'd', 'a'];
  for (const name of names) measured.failed({ type, name });
  for (const name of ['team/b', 'd']) measured.succeeded({ type, name });
  const label = (destination: string) => ({ type, destination });
  expect(await metrics.totals('keyferry_sync_destination_failures_total')).toEqual([
    { labels: label('a'), value: 2 },
    { labels: label('team/b'), value: 1 },
    { labels: label('other'), value: 2 },
  ]);
  const { body } = await metrics.text();
  const gauge = 'keyferry_sync_destination_last_success_timestamp_seconds';
  expect(body.split('\n').filter((line) => line.startsWith(`${gauge}{`))).toEqual([
    `${gauge}{type="${type}",destination="team/b"} 5`,
    `${gauge}{type="${type}",destination="other"} 5`,
  ]);
  const unnamed = openMetrics({ process: false });
  destinationMeasures(unnamed, 0).failed({ type, name: 'a' });
  expect(await unnamed.totals('keyferry_sync_destination_failures_total')).toEqual([]);
});

test('every log line of a job names its operation, type and job, and the error of a job is passed on', async () => {
  const { log, scopes } = scopedLog();
  const observed = syncTelemetry({
    type,
    metrics: openMetrics({ process: false }),
    destinations,
    tracing: noTracing,
    log,
  });
  const handler = observed.handler(() => Promise.reject(new Error('away')));
  const signal = new AbortController().signal;
  await expect(handler({ id: '7', job: '42' }, signal)).rejects.toThrow('away');
  expect(scopes).toEqual([{ operation: '7', type, job: '42' }]);
});
