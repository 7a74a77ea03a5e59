import { byType } from './gauges/samples.ts';
import { boundOnce, type Metrics } from './metrics/metrics.ts';

/** A line that an audit device was given. `type` is one of the known types of devices. */
interface EntrySeen {
  readonly type: string;
  readonly recorded: boolean;
  readonly seconds: number;
}

/** What the queue of a device holds. */
interface LoadSeen {
  readonly type: string;
  readonly lines: number;
  readonly characters: number;
}

/** Counts and times the lines of audit devices. Nothing tells one device of a type from another. */
export function auditTelemetry(metrics: Metrics): (entry: EntrySeen) => void {
  const bound = boundOnce((type) => {
    const recorded = metrics.counter('keyferry_audit_entries_total', { type, result: 'recorded' });
    const failed = metrics.counter('keyferry_audit_entries_total', { type, result: 'failed' });
    // Both are shown from the first line on: a rate does not see a counter that begins with 1.
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

/** The gauges of the queues of audit devices, read with each scrape. A type without a device is not shown. */
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
