import type { Fault } from '../../fake.ts';
import { type Answer, problem } from './answer.ts';

/** What shall go wrong. */
export interface Faults {
  set(fault: Fault): void;
  heal(): void;
  /** The kind of the present fault. */
  kind(): Fault['kind'] | undefined;
  /** The present fault, used up by this call. */
  take(): Fault | undefined;
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
    kind: () => current?.fault.kind,
    take() {
      if (current === undefined) return undefined;
      const { fault } = current;
      current.left -= 1;
      if (current.left <= 0) current = undefined;
      return fault;
    },
  };
}

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
