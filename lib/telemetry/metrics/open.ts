import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { counters, gauges, histograms } from './instruments.ts';
import type { MetricFamily, Metrics } from './metrics.ts';

/** How long a scrape waits for its sources; scrapers usually wait 10 s. */
const sourceMsMax = 2_000;

export interface MetricsOptions {
  /** Whether to include metrics of the process: event loop, memory, garbage collection and others. Default: true. */
  readonly process?: boolean;
}

/** Creates all instruments in a new registry. */
export function openMetrics({ process = true }: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const own = {
    counters: made(counters, (name, { help, labels }) => new Counter({ name, help, labelNames: labels, registers })),
    histograms: made(
      histograms,
      (name, { help, labels, buckets }) =>
        new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers }),
    ),
    gauges: made(gauges, (name, { help, labels }) => new Gauge({ name, help, labelNames: labels, registers })),
  };
  for (const gauge of own.gauges.values()) empty(gauge);
  if (process) collectDefaultMetrics({ register: registry });
  const sources = new Map<string, () => void | Promise<void>>();
  const update = async () => {
    await Promise.all([...sources.values()].map(inTime));
  };
  return {
    counter(name, labels) {
      const child = found(own.counters, name).labels(labels);
      return (by) => child.inc(by);
    },
    histogram(name, labels) {
      const child = found(own.histograms, name).labels(labels);
      return (value) => child.observe(value);
    },
    set(name, samples) {
      const gauge = found(own.gauges, name);
      empty(gauge);
      for (const { labels, value } of samples) gauge.set(labels, value);
    },
    source: (name, set) => void sources.set(name, set),
    async totals(name) {
      const { values } = await found(own.counters, name).get();
      return values.map(({ labels, value }) => ({ labels: texts(labels), value }));
    },
    async text() {
      await update();
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
    async families() {
      await update();
      return (await registry.getMetricsAsJSON()).map(familyOf);
    },
  };
}

function made<Spec, Made>(specs: Readonly<Record<string, Spec>>, make: (name: string, spec: Spec) => Made) {
  return new Map(Object.entries(specs).map(([name, spec]) => [name, make(name, spec)] as const));
}

function found<Made>(instruments: ReadonlyMap<string, Made>, name: string): Made {
  const instrument = instruments.get(name);
  if (instrument === undefined) throw new Error(`no instrument ${name}`);
  return instrument;
}

/** A gauge without labels starts at 0, which would look like a measurement. */
function empty(gauge: Gauge): void {
  gauge.reset();
  gauge.remove({});
}

const texts = (labels: Readonly<Partial<Record<string, string | number>>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));

/** A late source still sets its gauges, for the next scrape. */
async function inTime(update: () => void | Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, sourceMsMax);
  const done = Promise.try(update).catch(() => {});
  await Promise.race([done, promise]).finally(() => clearTimeout(timer));
}

function familyOf(family: { name: string; help: string; type: unknown; values: readonly object[] }): MetricFamily {
  const { name, help, type, values } = family;
  return { name, help, type: String(type), values };
}
