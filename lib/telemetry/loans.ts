import type { Metrics } from './metrics/metrics.ts';

/** Counts requests for the root key at the process that lends it. */
export function loanTelemetry(metrics: Metrics): (result: 'lent' | 'refused') => void {
  const count = (result: string) => metrics.counter('keyferry_unseal_loans_total', { result });
  const counts = { lent: count('lent'), refused: count('refused') };
  // Both are shown from the start on: a rate does not see a counter that begins with 1.
  counts.lent(0);
  counts.refused(0);
  return (result) => counts[result]();
}

/** Counts how attempts to borrow the root key end. */
export function borrowTelemetry(metrics: Metrics): (result: 'opened' | 'failed') => void {
  const count = (result: string) => metrics.counter('keyferry_unseal_attempts_total', { result });
  const counts = { opened: count('opened'), failed: count('failed') };
  counts.opened(0);
  counts.failed(0);
  return (result) => counts[result]();
}
