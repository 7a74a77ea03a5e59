import { closeSync, openSync } from 'node:fs';
import { endProcess } from './end.ts';

/** npm forwards Ctrl-C to a child that has already received the signal from the terminal: a second signal within this time is the same request. */
const echoMs = 1_000;
const parentLookMs = 250;

/**
 * Resolves when this process is asked to end: SIGINT, SIGTERM, SIGHUP (the terminal was closed), or the end of the npm that
 * started it. A second request ends it at once.
 *
 * If a process has `hangup`, SIGHUP calls it as long as the terminal is open, or if the process never had one.
 */
export function stopRequest(hangup: () => (() => void) | undefined = () => undefined): Promise<void> {
  const hadTerminal = hasTerminal();
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    const ask = () => {
      const now = performance.now();
      if (askedAt !== undefined && now - askedAt > echoMs) void endProcess(130);
      askedAt ??= now;
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, ask);
    process.on('SIGHUP', () => {
      const own = hangup();
      if (own === undefined || (hadTerminal && !hasTerminal())) ask();
      else own();
    });
    watchNpm(resolve);
  });
}

/** A SIGTERM to npm ends the shell between it and us, and no signal reaches us. Any other parent may end without us. */
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

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
