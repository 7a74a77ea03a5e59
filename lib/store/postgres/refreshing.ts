import type { Log } from '#core/log/log.ts';

export interface Refreshing {
  readonly everyMs: number;
  readonly log: Log;
}

/**
 * Repeats `refresh`, with a pause after each run. Runs never overlap: if the database hangs, piled-up runs would take the
 * connections that requests need. Returns a function that stops it.
 */
export function refreshRegularly(refresh: () => Promise<unknown>, { everyMs, log }: Refreshing): () => void {
  let timer = start();
  let stopped = false;
  function start(): NodeJS.Timeout {
    // The timer must not keep a finished process alive.
    return setTimeout(() => void run(), everyMs).unref();
  }
  async function run(): Promise<void> {
    await refresh().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : 'unknown error';
      log.debug({ error: reason }, 'the seal and the time could not be refreshed');
    });
    if (!stopped) timer = start();
  }
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
