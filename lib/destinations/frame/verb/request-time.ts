/** One request took too long. It has the name of the platform's timeouts. */
export class RequestTimeout extends Error {
  constructor(requestMs: number) {
    super(`no answer within ${requestMs} ms`);
    this.name = 'TimeoutError';
  }
}

/**
 * Runs one request, including reading its body, for at most `requestMs` milliseconds. `run` gets a signal that aborts then, or with
 * `signal`; the wait ends at that time even if an SDK accepts no signal.
 *
 * @throws RequestTimeout at the deadline; otherwise the error of `run` or the reason of `signal`
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
 * The promise, rejected with the signal's reason as soon as it aborts. The underlying work goes on: an SDK may ignore the signal,
 * and work that several callers share continues for the others.
 */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
