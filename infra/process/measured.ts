import { serveMetrics } from '../../lib/app.ts';
import type { Config } from '../../lib/core/config.ts';
import type { Metrics } from '../../lib/telemetry/metrics/metrics.ts';
import { openMetrics } from '../../lib/telemetry/metrics/open.ts';
import type { Running } from './run.ts';

/** Opens a process with its metrics, which are served on a port of their own where one is configured, and ends with it. */
export async function measured<Part extends Running>(
  config: Config,
  open: (metrics: Metrics) => Promise<Part>,
): Promise<Part> {
  const metrics = openMetrics();
  // First, so that a port that is taken is reported before anything is opened.
  const server = await serveMetrics(config, metrics);
  if (server === undefined) return open(metrics);
  const part = await open(metrics).catch(async (error: unknown) => {
    await server.close();
    throw error;
  });
  return { ...part, close: () => part.close().finally(() => server.close()) };
}
