import { readConfig } from '../core/config.ts';
import { openLog } from '../core/open-log.ts';
import { openMetrics } from '../core/open-metrics.ts';
import { tellingMetrics } from './metric-line.ts';
import type { AppParts } from './shared.ts';

/** What a function keeps between its runs, and how it tells of each of them. */
export interface Kept<T> {
  readonly opened: T;
  /** Runs one invocation: at its end its metrics are logged, and its spans are sent before the platform freezes the process. */
  run<Result>(invocation: () => Promise<Result>): Promise<Result>;
}

/** What is kept is opened by the first run; an opening that failed is tried again by the next. */
export function kept<T extends Flushed>(
  open: (parts: AppParts) => Promise<T>,
  dimensions: Readonly<Record<string, string>>,
): () => Promise<Kept<T>> {
  let opened: Promise<Kept<T>> | undefined;
  return () => {
    if (opened !== undefined) return opened;
    const attempt = openKept(open, dimensions);
    opened = attempt;
    attempt.catch(() => {
      opened = undefined;
    });
    return attempt;
  };
}

async function openKept<T extends Flushed>(
  open: (parts: AppParts) => Promise<T>,
  dimensions: Readonly<Record<string, string>>,
): Promise<Kept<T>> {
  const config = readConfig();
  const parts = { config, log: openLog(config), metrics: openMetrics({ process: false }) };
  const opened = await open(parts);
  const telling = tellingMetrics(parts.metrics, parts.log, dimensions);
  return { opened, run: (invocation) => telling(invocation).finally(() => opened.flush()) };
}

/** Sends the spans gathered so far. */
interface Flushed {
  flush(): Promise<void>;
}
