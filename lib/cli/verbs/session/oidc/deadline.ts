import type { Context } from '#cli/context.ts';
import { CommandFailure, usage } from '#cli/failure.ts';
import type { Given } from '#cli/verb.ts';

/** The server keeps a login by browser for 5 minutes, and one by device for 15 at most. */
const timeoutMsOtherwise = 300_000;
const timeoutMsMax = 900_000;

/** How long the program waits for its user to log in somewhere else. */
export interface Deadline {
  /** Aborts at the end, and when the user interrupts the program. */
  readonly signal: AbortSignal;
  /** @throws CommandFailure `timedOut` or `interrupted` unless the work is done before */
  within<T>(work: Promise<T>): Promise<T>;
}

/** Begins now. @throws CommandFailure for a `--timeout` that is too long */
export function deadlineOf({ host }: Context, given: Given): Deadline {
  const timeoutMs = given.duration('timeout', timeoutMsOtherwise);
  if (timeoutMs > timeoutMsMax)
    throw usage('--timeout must be at most 15m: the server forgets the login then', 'login');
  const signal = AbortSignal.any([host.signal, AbortSignal.timeout(timeoutMs)]);
  const ended = () =>
    host.signal.aborted
      ? new CommandFailure('interrupted', 'interrupted', 'keyferry login --help')
      : new CommandFailure('timedOut', `no login within ${timeoutMs / 1_000} s`, 'keyferry login --help');
  return {
    signal,
    within: (work) =>
      new Promise((resolve, reject) => {
        const end = () => reject(ended());
        if (signal.aborted) end();
        signal.addEventListener('abort', end, { once: true });
        work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
      }),
  };
}
