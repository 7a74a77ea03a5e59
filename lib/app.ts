/**
 * The composition root: configuration → ports → everything. Files in `app/` may import every room, and no room imports them.
 * Each process imports only its own parts, so the bundle of a worker contains neither the HTTP room nor the SDK of another type.
 */
export { type Api, openApi } from './app/api/open.ts';
export { apiFunction, replayFunction, sweepFunction, workerFunction } from './app/functions.ts';
export type { AppParts } from './app/shared.ts';
export { openSweeper, type Sweeper } from './app/sweeper.ts';
export { type Drainer, openDrainer, openWorkers } from './app/workers.ts';
export { type MetricsServer, serveMetrics } from './telemetry/metrics/server.ts';
