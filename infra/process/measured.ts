import { serveMetrics } from '#app.ts';
import type { Config } from '#core/config.ts';
import type { Metrics } from '#telemetry/metrics/metrics.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';
import type { Running } from './run.ts';

/** Opens a process with its metrics. If a port is configured for them, they are served on it until the process ends. */
export async function measured<Part extends Running>(
  config: Config,
  open: (metrics: Metrics) => Promise<Part>,
): Promise<Part> {
  const metrics = openMetrics();
  // First, so that a port in use is reported before anything is opened.
  const server = await serveMetrics(config, metrics);
  if (server === undefined) return open(metrics);
  const part = await open(metrics).catch(async (error: unknown) => {
    await server.close();
    throw error;
  });
  return { ...part, close: () => part.close().finally(() => server.close()) };
}
