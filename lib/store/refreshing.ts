import type { Log } from '../core/log.ts';

export interface Refreshing {
  readonly everyMs: number;
  readonly log: Log;
}

/**
 * Repeats a look at the database, a pause after each end. A database that hangs is asked once: looks that pile up would take
 * the connections of requests. Answers how to stop.
 */
export function refreshRegularly(refresh: () => Promise<unknown>, { everyMs, log }: Refreshing): () => void {
  let timer = start();
  let stopped = false;
  function start(): NodeJS.Timeout {
    // It must not keep a process alive that is done.
    return setTimeout(() => void look(), everyMs).unref();
  }
  async function look(): Promise<void> {
    await refresh().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : 'unknown error';
      log.debug({ error: reason }, 'the seal and the time were not read again');
    });
    if (!stopped) timer = start();
  }
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
