import { DestinationFailure } from '../contract.ts';

/**
 * Runs one verb of the driver. It ends at once when `signal` aborts, whatever the SDK is doing then, and nothing but a
 * `DestinationFailure` comes out.
 */
export async function attempt<T>(
  signal: AbortSignal,
  what: string,
  run: () => Promise<T>,
  explain: (error: unknown, what: string) => DestinationFailure,
): Promise<T> {
  try {
    signal.throwIfAborted();
    return await untilAborted(run(), signal);
  } catch (error) {
    if (error instanceof DestinationFailure) throw error;
    throw signal.aborted
      ? new DestinationFailure('timeout', `${what} was ended before it was done`)
      : explain(error, what);
  }
}

/** Lets nothing but `DestinationFailure` out of a verb whose calls name their own failures and end with `signal`. */
export async function failing<T>(action: string, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  try {
    signal.throwIfAborted();
    return await run();
  } catch (cause) {
    if (cause instanceof DestinationFailure) throw cause;
    if (signal.aborted) throw new DestinationFailure('timeout', `cannot ${action}: the operation was ended`);
    throw new DestinationFailure('internal', `cannot ${action}: unexpected error`, { cause });
  }
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
