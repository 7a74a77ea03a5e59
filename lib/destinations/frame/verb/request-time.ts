/** One request did not come back in time. Named like the timeouts of the platform. */
export class RequestTimeout extends Error {
  constructor(requestMs: number) {
    super(`no answer within ${requestMs} ms`);
    this.name = 'TimeoutError';
  }
}

/**
 * Runs one request, the reading of its body included, for at most `requestMs` milliseconds. `run` gets a signal that aborts
 * then, or with `signal`; the wait ends at that time also where an SDK takes no signal.
 *
 * @throws RequestTimeout when the time is over; what `run` throws, or the reason of `signal`, otherwise
 */
export async function withinRequestTime<T>(
  requestMs: number,
  signal: AbortSignal | undefined,
  run: (ends: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(requestMs);
  const ends = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
  try {
    ends.throwIfAborted();
    return await untilAborted(run(ends), ends);
  } catch (error) {
    if (deadline.aborted && signal?.aborted !== true) throw new RequestTimeout(requestMs);
    throw error;
  }
}

/**
 * The promise, or the signal's reason as soon as it aborts. What the promise stands for goes on: an SDK may not notice the
 * signal, and work that several callers share goes on for the others.
 */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
