import type { Fault } from '../../fake.ts';
import type { Answer } from '../../frame/fake/rest.ts';
import { problem } from './answer.ts';
import { unauthenticated } from './login.ts';

/** The service's own answer for a fault; undefined for those that are no answer. */
export function faultAnswer({ kind, retryAfterSeconds = 10 }: Fault): Answer | undefined {
  if (kind === 'throttle') {
    const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterSeconds}s` };
    const info = {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'RATE_LIMIT_EXCEEDED',
      domain: 'googleapis.com',
    };
    return problem('RESOURCE_EXHAUSTED', 'Quota exceeded for quota metric Write requests.', [info, retry]);
  }
  if (kind === 'unavailable') return problem('UNAVAILABLE', 'The service is currently unavailable.');
  if (kind === 'denied') return problem('PERMISSION_DENIED', 'Permission denied on resource (or it may not exist).');
  return kind === 'credentials' ? unauthenticated : undefined;
}
