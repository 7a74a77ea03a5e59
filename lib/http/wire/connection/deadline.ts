import { AppError } from '../../../core/errors.ts';

/** The work's outcome, or an `AppError` `unavailable` when its time is over; `expire` then ends what is still running. */
export type Within = <T>(work: Promise<T>, expire: () => void) => Promise<T>;

/** How exact the deadline is: a part of it, at most a second. */
const partsOfDeadline = 20;
const sweepMsMax = 1000;

/**
 * One deadline of `milliseconds` for many pieces of work. All have the same length, so they end in the order they began
 * and one timer for all is enough; a timer for each would cost more than the rest of a request's bookkeeping.
 */
export function createDeadline(milliseconds: number): Within {
  const underWay = new Set<{ readonly due: number; readonly end: () => void }>();
  const sweepMs = Math.min(sweepMsMax, Math.ceil(milliseconds / partsOfDeadline));
  let sweeping = false;

  const sweep = () => {
    const now = performance.now();
    for (const entry of underWay) {
      if (entry.due > now) break;
      underWay.delete(entry);
      entry.end();
    }
    sweeping = underWay.size > 0;
    if (sweeping) setTimeout(sweep, sweepMs).unref();
  };

  return (work, expire) =>
    new Promise((resolve, reject) => {
      const end = () => {
        expire();
        reject(new AppError('unavailable', 'the request took too long'));
      };
      const entry = { due: performance.now() + milliseconds, end };
      underWay.add(entry);
      if (!sweeping) setTimeout(sweep, sweepMs).unref();
      sweeping = true;
      work.then(resolve, reject).finally(() => underWay.delete(entry));
    });
}
