import type { Fault } from '../../fake.ts';
import { type Answer, badCredentials, problem } from './answer.ts';

const resetSecondsDefault = 60;

/** The host's own answer for a fault; undefined for those that are no answer. */
export function faultAnswer({ kind, retryAfterSeconds }: Fault, now: Date): Answer | undefined {
  if (kind === 'throttle') return throttled(retryAfterSeconds, now);
  if (kind === 'unavailable') return problem(503, 'Service unavailable');
  if (kind === 'denied') return problem(403, 'Resource not accessible by personal access token');
  return kind === 'credentials' ? badCredentials : undefined;
}

/** A secondary limit says how long to wait; a used-up hourly budget says when it is full again. */
function throttled(retryAfterSeconds: number | undefined, now: Date): Answer {
  if (retryAfterSeconds !== undefined) {
    const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
    return problem(403, message, { 'retry-after': String(retryAfterSeconds) });
  }
  const reset = Math.ceil(now.getTime() / 1000) + resetSecondsDefault;
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) };
  return problem(403, 'API rate limit exceeded for user ID 1.', headers);
}
