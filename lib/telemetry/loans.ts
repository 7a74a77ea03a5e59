import type { Metrics } from './metrics/metrics.ts';

/** Counts requests for the root key at the process that lends it. */
export function loanTelemetry(metrics: Metrics): (result: 'lent' | 'refused') => void {
  const count = (result: string) => metrics.counter('keyferry_unseal_loans_total', { result });
  const counts = { lent: count('lent'), refused: count('refused') };
  // Both are exported from the start, because a rate misses the first increment of a new counter.
  counts.lent(0);
  counts.refused(0);
  return (result) => counts[result]();
}

/** Counts attempts to borrow the root key by result. */
export function borrowTelemetry(metrics: Metrics): (result: 'opened' | 'failed') => void {
  const count = (result: string) => metrics.counter('keyferry_unseal_attempts_total', { result });
  const counts = { opened: count('opened'), failed: count('failed') };
  counts.opened(0);
  counts.failed(0);
  return (result) => counts[result]();
}
