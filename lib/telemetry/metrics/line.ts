import type { Log } from '#core/log/log.ts';
import type { CounterName } from './instruments.ts';
import type { Metrics, Sample } from './metrics.ts';

const namespace = 'Keyferry';
/** The counters that a function reports in its log, because functions cannot be scraped. */
const reported: readonly CounterName[] = [
  'keyferry_sync_operations_total',
  'keyferry_sync_failures_total',
  'keyferry_sync_rechecks_total',
  'keyferry_sync_gate_refusals_total',
  'keyferry_sync_drift_looks_total',
  'keyferry_sweep_rounds_total',
  'keyferry_sweep_requeued_total',
];

type Totals = ReadonlyMap<string, number>;

/**
 * Runs one invocation of a function and then logs its counts as one line in the embedded metric format of CloudWatch: `operations_SYNCED`,
 * `failures_throttled` and the like, with the function and the destination type as dimensions. An instance runs one invocation at a time, so
 * all increments belong to it. A failed run is reported too.
 */
export function metricsPerInvocation(metrics: Metrics, log: Log, dimensions: Readonly<Record<string, string>>) {
  return async <Result>(invocation: () => Promise<Result>): Promise<Result> => {
    const before = await totalsOf(metrics);
    const started = Date.now();
    try {
      return await invocation();
    } finally {
      const added = difference(before, await totalsOf(metrics));
      log.info(
        metricLine(dimensions, new Date(), { ...added, duration: Date.now() - started }),
        'metrics of an invocation',
      );
    }
  };
}

/** The fields of a line in the embedded metric format. `duration` is in milliseconds; all other values are counts. */
export function metricLine(
  dimensions: Readonly<Record<string, string>>,
  at: Date,
  values: Readonly<Record<string, number>>,
): object {
  const units = Object.keys(values).map((name) => ({
    Name: name,
    Unit: name === 'duration' ? 'Milliseconds' : 'Count',
  }));
  const directive = { Namespace: namespace, Dimensions: [Object.keys(dimensions)], Metrics: units };
  return { _aws: { Timestamp: at.getTime(), CloudWatchMetrics: [directive] }, ...dimensions, ...values };
}

async function totalsOf(metrics: Metrics): Promise<Totals> {
  const samples = await Promise.all(
    reported.map(async (name) => (await metrics.totals(name)).map((one) => [nameOf(name, one), one.value] as const)),
  );
  return new Map(samples.flat());
}

/** `keyferry_sync_operations_total{type,outcome="SYNCED"}` becomes `operations_SYNCED`; the type is a dimension. */
function nameOf(name: CounterName, { labels }: Sample): string {
  const short = name.replace(/^keyferry_(sync_)?/, '').replace(/_total$/, '');
  const own = Object.entries(labels).flatMap(([label, value]) => (label === 'type' ? [] : [value]));
  return [short, ...own].join('_');
}

function difference(before: Totals, after: Totals): Readonly<Record<string, number>> {
  const added = [...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const);
  return Object.fromEntries(added.filter(([, value]) => value > 0));
}
