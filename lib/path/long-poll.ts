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

/** A request that waits. */
export interface Waiting {
  /** The namespace among which and others the places are shared. */
  readonly namespaceId: string;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** Looks until it sees enough, the time is over or the signal aborts, and returns what it saw last. */
type Poll = <T>(look: () => Promise<T>, isEnough: (seen: T) => boolean, waiting: Waiting) => Promise<T>;

/** For requests that are answered when there is something new. @throws AppError `unavailable` when too many wait already */
export function longPoll({ lookMs, waitersMax, waitMsMax }: PollLimits): Poll {
  const places = new Places(waitersMax);
  return async (look, isEnough, { namespaceId, waitMs, signal }) => {
    if (waitMs <= 0) return look();
    const place = places.take(namespaceId);
    const ended = AbortSignal.any([signal, place.lost.signal]);
    const deadlineMs = performance.now() + Math.min(waitMs, waitMsMax);
    try {
      for (;;) {
        const seen = await look();
        const leftMs = deadlineMs - performance.now();
        if (isEnough(seen) || leftMs <= 0 || ended.aborted) return seen;
        await delay(Math.min(lookMs, leftMs), undefined, { signal: ended }).catch(() => {});
      }
    } finally {
      places.free(place);
    }
  };
}

interface Place {
  readonly namespaceId: string;
  readonly lost: AbortController;
}

/**
 * The places of requests that wait. While some are free, any namespace may take them. When none is, a namespace takes the oldest place of the one
 * that has the most, as long as it has fewer itself afterwards or as many: so a namespace that takes all it can get leaves the others
 * their equal share. The request that loses its place is answered as if its time were over.
 */
class Places {
  readonly #max: number;
  readonly #taken = new Set<Place>();

  constructor(max: number) {
    this.#max = max;
  }

  take(namespaceId: string): Place {
    if (this.#taken.size >= this.#max) {
      const [oldest, ...others] = this.#most();
      if (oldest === undefined || this.#count(namespaceId) + 1 > others.length)
        throw new AppError('unavailable', `more than ${this.#max} requests wait: ask without wait`);
      oldest.lost.abort();
      this.free(oldest);
    }
    const place = { namespaceId, lost: new AbortController() };
    this.#taken.add(place);
    return place;
  }

  free(place: Place): void {
    this.#taken.delete(place);
  }

  /** The places of the namespace that has the most, the oldest first. */
  #most(): readonly Place[] {
    const all = [...Map.groupBy(this.#taken, (place) => place.namespaceId).values()];
    return all.reduce<readonly Place[]>((most, own) => (own.length > most.length ? own : most), []);
  }

  #count(namespaceId: string): number {
    return [...this.#taken].filter((place) => place.namespaceId === namespaceId).length;
  }
}
