import type { Answer } from './exchange.ts';

const minuteMs = 60_000;
const waitMsMax = 24 * 60 * minuteMs;

/**
 * How long a 403, 429 or 5xx asks us to wait, in milliseconds; undefined when it bears no mark of a limit. The order is
 * the host's: Retry-After, then the reset of a used-up budget, then "at least one minute" for a secondary limit.
 * https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
 */
export function throttledForMs(answer: Answer): number | undefined {
  const waitMs = askedForMs(answer);
  return waitMs === undefined ? undefined : Math.min(Math.max(waitMs, 0), waitMsMax);
}

function askedForMs(answer: Answer): number | undefined {
  if (answer.status >= 500) return retryAfterMs(answer);
  if (answer.status !== 403 && answer.status !== 429) return undefined;
  return retryAfterMs(answer) ?? resetAfterMs(answer) ?? unnamedMs(answer);
}

function retryAfterMs(answer: Answer): number | undefined {
  const header = answer.headers['retry-after'];
  if (header === undefined) return undefined;
  if (/^\d+$/.test(String(header))) return Number(header) * 1000;
  const at = Date.parse(String(header));
  return Number.isNaN(at) ? undefined : at - remoteNow(answer).getTime();
}

/** `x-ratelimit-reset` is in seconds since 1970 on the host's clock. */
function resetAfterMs(answer: Answer): number | undefined {
  if (String(answer.headers['x-ratelimit-remaining']) !== '0') return undefined;
  const reset = Number(answer.headers['x-ratelimit-reset']);
  return Number.isFinite(reset) ? reset * 1000 - remoteNow(answer).getTime() : minuteMs;
}

function unnamedMs({ status, data }: Answer): number | undefined {
  const told = typeof data === 'object' && data !== null && 'message' in data ? String(data.message) : '';
  return status === 429 || /rate limit|abuse detection/i.test(told) ? minuteMs : undefined;
}

/** The host's time when it answered; ours where it did not tell. */
export function remoteNow({ headers, receivedAt }: Answer): Date {
  const at = Date.parse(String(headers['date']));
  return Number.isNaN(at) ? receivedAt : new Date(at);
}
