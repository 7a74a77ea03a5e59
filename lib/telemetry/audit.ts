import { boundOnce, byType, type Metrics } from './metrics/metrics.ts';

/** A line that was passed to an audit device. `type` is one of the known device types. */
interface EntrySeen {
  readonly type: string;
  readonly recorded: boolean;
  readonly seconds: number;
}

/** The load of a device's queue. */
interface LoadSeen {
  readonly type: string;
  readonly lines: number;
  readonly characters: number;
}

/** Counts and times the lines of audit devices. Devices of one type are counted together. */
export function auditTelemetry(metrics: Metrics): (entry: EntrySeen) => void {
  const bound = boundOnce((type) => {
    const recorded = metrics.counter('keyferry_audit_entries_total', { type, result: 'recorded' });
    const failed = metrics.counter('keyferry_audit_entries_total', { type, result: 'failed' });
    // Both are exported from the first line on, because a rate misses the first increment of a new counter.
    recorded(0);
    failed(0);
    return { recorded, failed, observe: metrics.histogram('keyferry_audit_write_duration_seconds', { type }) };
  });
  return ({ type, recorded, seconds }) => {
    const { observe, ...counts } = bound(type);
    (recorded ? counts.recorded : counts.failed)();
    observe(seconds);
  };
}

/** Gauges of the queues of audit devices, updated with each scrape. A type without a device is not exported. */
export function gaugeAudit(metrics: Metrics, load: () => readonly LoadSeen[]): void {
  metrics.source('audit', () => {
    const [lines, characters] = [new Map<string, number>(), new Map<string, number>()];
    for (const one of load()) {
      lines.set(one.type, (lines.get(one.type) ?? 0) + one.lines);
      characters.set(one.type, (characters.get(one.type) ?? 0) + one.characters);
    }
    metrics.set('keyferry_audit_queue_entries', byType([...lines.keys()], lines));
    metrics.set('keyferry_audit_queue_characters', byType([...lines.keys()], characters));
  });
}
