import type { Clock } from '#core/clock.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Tracing } from './traces/tracing.ts';

/** The fields of a round that are measured: only `sealed` when the round could not do anything. */
interface RoundSeen {
  readonly sealed?: boolean;
  readonly requeued?: number;
}

interface SweepTelemetryParts {
  readonly metrics: Metrics;
  readonly tracing: Tracing;
}

const secondMs = 1_000;

/** Wraps a round of the sweep to count and trace it. */
export function sweepTelemetry({ metrics, tracing }: SweepTelemetryParts, clock: Clock) {
  const count = (result: string) => metrics.counter('keyferry_sweep_rounds_total', { result });
  const counts = { done: count('done'), failed: count('failed'), sealed: count('sealed') };
  const requeued = metrics.counter('keyferry_sweep_requeued_total', {});
  const report = (round: RoundSeen) => {
    if (round.sealed === true) return counts.sealed();
    counts.done();
    requeued(round.requeued ?? 0);
    const seconds = clock.now().getTime() / secondMs;
    metrics.set('keyferry_sweep_last_success_timestamp_seconds', [{ labels: {}, value: seconds }]);
  };
  return <Result extends RoundSeen>(round: () => Promise<Result>) =>
    (): Promise<Result> =>
      tracing.span('sweep', {}, async () => {
        try {
          const result = await round();
          report(result);
          return result;
        } catch (cause) {
          counts.failed();
          throw cause;
        }
      });
}
