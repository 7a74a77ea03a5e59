import type { RateLimit } from './quota.ts';

/** The decision of a rate limit on one request. */
export interface Passage {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until a request is allowed again, or until the count restarts. */
  readonly resetSeconds: number;
}

interface Window {
  /** In milliseconds of the caller's clock. */
  startedAt: number;
  used: number;
  blockedUntil: number;
}

/** Counts requests of clients. `now` is in milliseconds and monotonic. */
export interface Limiter {
  pass(quota: RateLimit, key: string, now: number): Passage;
}

/**
 * Counts in windows that begin with a client's first request. Beyond `clientsMax` clients, the client whose window began
 * longest ago is forgotten, so that many addresses cannot fill the memory.
 *
 * The workspaces API has another limiter, a token bucket (`http/v2/rate.ts`): its clients expect a steady rate, while the quotas
 * of the secrets API define intervals and block a client for a time after it exceeded one.
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

/** A rate below one request per interval becomes one request per longer interval. */
function windowOf({ rate, interval }: RateLimit): { readonly requests: number; readonly ms: number } {
  const ms = interval * 1_000;
  return rate < 1 ? { requests: 1, ms: ms / rate } : { requests: Math.floor(rate), ms };
}
