import { untilAborted } from './until-aborted.ts';

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
