import { coalesce } from '#core/concurrency/coalesce.ts';
import { untilAborted } from './verb/request-time.ts';

/** Fetches a whole list. Rejects at once when `signal` aborts. */
export type List<Entry> = (signal: AbortSignal) => Promise<readonly Entry[]>;

/** Callers that share one listing, and listings in flight at once. */
const bounds = { batchSizeMax: 1000, batchesMax: 2 };

/** Concurrent callers share a listing; it goes on for the others when one of them leaves, and is not kept for later callers. */
export function openList<Entry>(fetch: () => Promise<readonly Entry[]>): List<Entry> {
  const sharedList = coalesce<undefined, readonly Entry[]>(async (callers) => {
    const entries = await fetch();
    return callers.map(() => entries);
  }, bounds);
  return async (signal) => {
    signal.throwIfAborted();
    return untilAborted(sharedList(undefined), signal);
  };
}
