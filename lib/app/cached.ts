import { readConfig } from '#core/config.ts';
import { openFunctionLog } from '#core/log/open.ts';
import { metricsPerInvocation } from '#telemetry/metrics/line.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';
import type { AppParts } from './shared.ts';

/** A part that the invocations of a function share, and the reporting of each invocation. */
export interface Cached<T> {
  readonly opened: T;
  /** Runs one invocation: at its end its metrics are logged, and its spans are sent before the platform freezes the process. */
  run<Result>(invocation: () => Promise<Result>): Promise<Result>;
}

/** Opens it on the first invocation and keeps it for later ones. After a failure the next invocation tries again. */
export function cached<T extends Flushed>(
  open: (parts: AppParts) => Promise<T>,
  dimensions: Readonly<Record<string, string>>,
): () => Promise<Cached<T>> {
  let opened: Promise<Cached<T>> | undefined;
  return () => {
    if (opened !== undefined) return opened;
    const attempt = openCached(open, dimensions);
    opened = attempt;
    attempt.catch(() => {
      opened = undefined;
    });
    return attempt;
  };
}

/** Few connections for each process, because there may be hundreds of processes of a function. */
const functionConnectionsMax = 2;

async function openCached<T extends Flushed>(
  open: (parts: AppParts) => Promise<T>,
  dimensions: Readonly<Record<string, string>>,
): Promise<Cached<T>> {
  const settings = readConfig();
  const poolSize = Math.min(functionConnectionsMax, settings.KEYFERRY_DATABASE_POOL_SIZE);
  const config = { ...settings, KEYFERRY_DATABASE_POOL_SIZE: poolSize };
  const parts = { config, log: openFunctionLog(config), metrics: openMetrics({ process: false }) };
  const opened = await open(parts);
  const measured = metricsPerInvocation(parts.metrics, parts.log, dimensions);
  return { opened, run: (invocation) => measured(invocation).finally(() => opened.flush()) };
}

/** Sends the spans gathered so far. */
interface Flushed {
  flush(): Promise<void>;
}
