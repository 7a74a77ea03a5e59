import type { Fault } from '../../fake.ts';
import type { Answer } from '../../frame/fake/rest.ts';
import { problem } from './answer.ts';

/** The vault's own answer for a fault; undefined for those that are no answer. */
export function faultAnswer({ kind, retryAfterSeconds = 10 }: Fault): Answer | undefined {
  if (kind === 'throttle') {
    const message = 'Request was not processed because too many requests were received.';
    return { ...problem(429, 'Throttled', message), headers: { 'retry-after': String(retryAfterSeconds) } };
  }
  if (kind === 'unavailable') return problem(503, 'ServiceUnavailable', 'The service is temporarily unavailable.');
  if (kind === 'denied') return problem(403, 'Forbidden', 'Caller is not authorized.', 'ForbiddenByRbac');
  return undefined;
}
