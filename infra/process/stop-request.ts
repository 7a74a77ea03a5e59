import { endProcess } from './end.ts';

/** npm passes Ctrl-C on to a child that has its signal from the terminal already: what comes so soon after is the same request. */
const echoMs = 1_000;
const parentLookMs = 250;

/**
 * Ends when somebody asks this process to end: SIGINT, SIGTERM, SIGHUP (the terminal was closed), or the end of the npm that
 * started it. Whoever asks a second time wants it at once.
 */
export function stopRequest(): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    const ask = () => {
      const now = performance.now();
      if (askedAt !== undefined && now - askedAt > echoMs) void endProcess(130);
      askedAt ??= now;
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask);
    watchNpm(resolve);
  });
}

/** A SIGTERM to npm ends the shell between it and us, and no signal reaches us. Any other parent may go without us. */
function watchNpm(gone: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    gone();
  }, parentLookMs);
  timer.unref();
}
