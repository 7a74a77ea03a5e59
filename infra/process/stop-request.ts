import { closeSync, openSync } from 'node:fs';
import { endProcess } from './end.ts';

/** npm passes Ctrl-C on to a child that has its signal from the terminal already: what comes so soon after is the same request. */
const echoMs = 1_000;
const parentLookMs = 250;

/**
 * Ends when somebody asks this process to end: SIGINT, SIGTERM, SIGHUP (the terminal was closed), or the end of the npm that
 * started it. Whoever asks a second time wants it at once.
 *
 * A process that `hangup` answers something for takes SIGHUP for that while its terminal is there, or if it never had one.
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

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
