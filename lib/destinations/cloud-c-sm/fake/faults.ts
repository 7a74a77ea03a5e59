import type { Fault } from '../../fake.ts';
import { type Answer, problem } from './answer.ts';
import { unauthenticated } from './login.ts';

/** What shall go wrong. */
export interface Faults {
  set(fault: Fault): void;
  heal(): void;
  /** The present fault, used up by this call, if it can hit it. */
  take(call: { readonly writes: boolean }): Fault | undefined;
}

export function newFaults(): Faults {
  let current: { readonly fault: Fault; left: number } | undefined;
  return {
    set(fault) {
      current = { fault, left: fault.times ?? Number.POSITIVE_INFINITY };
    },
    heal() {
      current = undefined;
    },
    take({ writes }) {
      // Only a call that changes something can lose the answer to a change.
      if (current === undefined || (current.fault.kind === 'lost-answer' && !writes)) return undefined;
      const { fault } = current;
      current.left -= 1;
      if (current.left <= 0) current = undefined;
      return fault;
    },
  };
}

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
