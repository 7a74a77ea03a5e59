import { LRUCache } from 'lru-cache';

/** The number of requests that a caller may still send, for the headers of a reply. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the next request is allowed; 0 when it is allowed now. */
  readonly resetSeconds: number;
  readonly allowed: boolean;
}

/** Callers with a bucket. A caller evicted from the cache starts with a full one. */
const callersMax = 10_000;

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * A token bucket of one second per caller. Each process has its own buckets, so a caller gets the rate once per process that it
 * reaches.
 */
export function createRate(perSecond: number, now: () => number): (caller: string) => Allowance | undefined {
  if (perSecond === 0) return () => undefined;
  const buckets = new LRUCache<string, Bucket>({ max: callersMax });
  return (caller) => {
    const time = now();
    const bucket = buckets.get(caller) ?? { tokens: perSecond, at: time };
    // A clock that was set back adds no tokens.
    const elapsed = Math.max(0, time - bucket.at) / 1_000;
    bucket.tokens = Math.min(perSecond, bucket.tokens + elapsed * perSecond);
    bucket.at = time;
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    buckets.set(caller, bucket);
    const resetSeconds = bucket.tokens >= 1 ? 0 : (1 - bucket.tokens) / perSecond;
    return { limit: perSecond, remaining: Math.floor(bucket.tokens), resetSeconds, allowed };
  };
}

export const rateHeaders = (allowance: Allowance | undefined): Readonly<Record<string, string>> =>
  allowance === undefined
    ? {}
    : {
        'x-ratelimit-limit': String(allowance.limit),
        'x-ratelimit-remaining': String(allowance.remaining),
        'x-ratelimit-reset': allowance.resetSeconds.toFixed(3),
      };
