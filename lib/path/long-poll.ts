import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#core/errors.ts';

interface PollLimits {
  /** How often a waiting request looks, in milliseconds. */
  readonly lookMs: number;
  /** Requests that wait in this process at the same time. */
  readonly waitersMax: number;
  /** Longest wait, in milliseconds, so that a request is answered before it is cut off. */
  readonly waitMsMax: number;
}

/** Part of the time limit of a request that it may wait: the rest is for finding its caller and for the answer. */
const partOfLimit = 0.8;

/** The longest wait of a request that has to be answered within `requestMsMax`, in milliseconds. Behind a function that is less than in a server. */
export const longestWaitMs = (requestMsMax: number): number => requestMsMax * partOfLimit;

/** Looks until it sees enough, the time is over or the signal aborts, and returns what it saw last. */
type Poll = <T>(
  look: () => Promise<T>,
  isEnough: (seen: T) => boolean,
  waitMs: number,
  signal: AbortSignal,
) => Promise<T>;

/** For requests that are answered when there is something new. @throws AppError `unavailable` when too many wait already */
export function longPoll({ lookMs, waitersMax, waitMsMax }: PollLimits): Poll {
  let waiters = 0;
  return async (look, isEnough, waitMs, signal) => {
    if (waitMs <= 0) return look();
    if (waiters >= waitersMax)
      throw new AppError('unavailable', `more than ${waitersMax} requests wait: ask without wait`);
    const deadlineMs = performance.now() + Math.min(waitMs, waitMsMax);
    waiters += 1;
    try {
      for (;;) {
        const seen = await look();
        const leftMs = deadlineMs - performance.now();
        if (isEnough(seen) || leftMs <= 0 || signal.aborted) return seen;
        await delay(Math.min(lookMs, leftMs), undefined, { signal }).catch(() => {});
      }
    } finally {
      waiters -= 1;
    }
  };
}
