import { type Metrics, single } from '../metrics/metrics.ts';

/** Readings of a process and of its connections to PostgreSQL. */
export interface ProcessReadings {
  sealed(): boolean;
  /** Connections of the pool, and queries that wait for a connection. */
  connections(): { readonly max: number; readonly busy: number; readonly idle: number; readonly waiting: number };
  /** Whether PostgreSQL answers. Never fails. */
  reachable(): Promise<boolean>;
}

/** The gauges that each process reports about itself. */
export function gaugeProcess(metrics: Metrics, readings: ProcessReadings): void {
  metrics.source('process', async () => {
    metrics.set('keyferry_sealed', single(readings.sealed() ? 1 : 0));
    const { max, busy, idle, waiting } = readings.connections();
    metrics.set('keyferry_database_connections_max', single(max));
    metrics.set('keyferry_database_waiting', single(waiting));
    metrics.set('keyferry_database_connections', [
      { labels: { state: 'busy' }, value: busy },
      { labels: { state: 'idle' }, value: idle },
    ]);
    metrics.set('keyferry_database_up', single((await readings.reachable()) ? 1 : 0));
  });
}
