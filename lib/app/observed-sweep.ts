import type { Clock } from '../core/clock.ts';
import type { Metrics } from '../core/metrics.ts';
import type { Tracing } from '../core/trace.ts';

/** What a round found: `sealed` alone where it could not look. */
interface Round {
  readonly sealed?: boolean;
  readonly requeued?: number;
}

interface ObservedParts {
  readonly metrics: Metrics;
  readonly tracing: Tracing;
}

const secondMs = 1_000;

/** A round of the sweep that tells the metrics how it went; it fails as it did. */
export function observedRounds({ metrics, tracing }: ObservedParts, clock: Clock) {
  const count = (result: string) => metrics.counter('keyferry_sweep_rounds_total', { result });
  const counts = { done: count('done'), failed: count('failed'), sealed: count('sealed') };
  const requeued = metrics.counter('keyferry_sweep_requeued_total', {});
  const tell = (round: Round) => {
    if (round.sealed === true) return counts.sealed();
    counts.done();
    requeued(round.requeued ?? 0);
    const seconds = clock.now().getTime() / secondMs;
    metrics.set('keyferry_sweep_last_success_timestamp_seconds', [{ labels: {}, value: seconds }]);
  };
  return <Result extends Round>(round: () => Promise<Result>) =>
    (): Promise<Result> =>
      tracing.span('sweep', {}, async () => {
        try {
          const result = await round();
          tell(result);
          return result;
        } catch (cause) {
          counts.failed();
          throw cause;
        }
      });
}
