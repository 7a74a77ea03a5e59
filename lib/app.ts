/**
 * The composition root: configuration → ports → everything. What stands in `app/` knows everyone; nobody in `lib/` knows it.
 * Each process takes only what it is made of, so a worker's bundle holds neither the HTTP module nor another type's SDK.
 */
export { type Api, openApi } from './app/api/open.ts';
export { type Board, openBoard } from './app/board/open.ts';
export { apiFunction, replayFunction, sweepFunction, workerFunction } from './app/functions.ts';
export type { AppParts } from './app/shared.ts';
export { openSweeper, type Sweeper } from './app/sweeper.ts';
export { type Drainer, openDrainer, openWorkers } from './app/workers.ts';
export { type MetricsServer, serveMetrics } from './telemetry/metrics/server.ts';
