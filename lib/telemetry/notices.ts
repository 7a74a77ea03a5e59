import type { Metrics } from './metrics/metrics.ts';

const results = ['delivered', 'failed', 'dead'] as const;

/** Counts events of the sync and the attempts to send them. */
export function noticeTelemetry(metrics: Metrics) {
  const counts = new Map(
    results.map((result) => [result, metrics.counter('keyferry_sync_notifications_total', { result })] as const),
  );
  // All are exported from the start, because a rate misses the first increment of a new counter.
  for (const count of counts.values()) count(0);
  return {
    told: (kind: string) => metrics.counter('keyferry_sync_events_total', { kind })(),
    sent: (result: (typeof results)[number]) => counts.get(result)?.(),
  };
}
