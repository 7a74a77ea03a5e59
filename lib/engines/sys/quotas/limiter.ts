import type { RateLimit } from './quota.ts';

/** What a rate limit says of a request. */
export interface Passage {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until a request is allowed again, or until the count begins anew. */
  readonly resetSeconds: number;
}

interface Window {
  /** In milliseconds of the clock that is handed in. */
  startedAt: number;
  used: number;
  blockedUntil: number;
}

/** Counts requests of clients. `now` is in milliseconds and never goes back. */
export interface Limiter {
  pass(quota: RateLimit, key: string, now: number): Passage;
}

/**
 * Counts in windows that begin with a client's first request. Of more clients than `clientsMax` the one that was counted anew
 * the longest time ago is forgotten, so that nobody fills the memory with addresses.
 */
export function createLimiter(clientsMax = 100_000): Limiter {
  const windows = new Map<string, Window>();
  return {
    pass(quota, key, now) {
      const { requests, ms } = windowOf(quota);
      const known = windows.get(key);
      const window = known !== undefined && now < endOf(known, ms) ? known : renewed(windows, key, now, clientsMax);
      const allowed = now >= window.blockedUntil && window.used < requests;
      if (allowed) window.used += 1;
      else if (quota.block_interval > 0 && window.blockedUntil <= now)
        window.blockedUntil = now + quota.block_interval * 1_000;
      return {
        allowed,
        limit: requests,
        remaining: Math.max(0, requests - window.used),
        resetSeconds: Math.max(1, Math.ceil((endOf(window, ms) - now) / 1_000)),
      };
    },
  };
}

const endOf = ({ startedAt, blockedUntil }: Window, ms: number): number => Math.max(startedAt + ms, blockedUntil);

function renewed(windows: Map<string, Window>, key: string, now: number, clientsMax: number): Window {
  windows.delete(key);
  const oldest = windows.size < clientsMax ? undefined : windows.keys().next().value;
  if (oldest !== undefined) windows.delete(oldest);
  const window = { startedAt: now, used: 0, blockedUntil: 0 };
  windows.set(key, window);
  return window;
}

/** Less than one request in an interval is one in a longer time. */
function windowOf({ rate, interval }: RateLimit): { readonly requests: number; readonly ms: number } {
  const ms = interval * 1_000;
  return rate < 1 ? { requests: 1, ms: ms / rate } : { requests: Math.floor(rate), ms };
}
