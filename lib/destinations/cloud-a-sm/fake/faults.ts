import type { Fault } from '../../fake.ts';
import { type Protocol, Refused } from './answer.ts';

/** What shall go wrong. */
export interface Faults {
  /** `operation`: only calls of it are hit. */
  set(fault: Fault, operation?: string): void;
  heal(): void;
  /** The fault that hits this call, used up by it. */
  take(call: { readonly operation: string; readonly writes: boolean }): Fault | undefined;
}

export function newFaults(): Faults {
  let current: { readonly fault: Fault; readonly operation: string | undefined; left: number } | undefined;
  return {
    set(fault, operation) {
      current = { fault, operation, left: fault.times ?? Number.POSITIVE_INFINITY };
    },
    heal() {
      current = undefined;
    },
    take({ operation, writes }) {
      // Only a call that changes something can lose the answer to a change.
      if (current === undefined || (current.fault.kind === 'lost-answer' && !writes)) return undefined;
      if (current.operation !== undefined && current.operation !== operation) return undefined;
      const { fault } = current;
      current.left -= 1;
      if (current.left <= 0) current = undefined;
      return fault;
    },
  };
}

/** The service's own answer for a fault; undefined for those that are no answer. STS has other codes for the same things. */
export function faultRefusal(
  { kind, retryAfterSeconds }: Fault,
  protocol: Protocol,
  operation: string,
): Refused | undefined {
  const inJson = protocol === 'json';
  if (kind === 'throttle') {
    const wait = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    return new Refused(inJson ? 'ThrottlingException' : 'Throttling', 'Rate exceeded', 400, wait);
  }
  if (kind === 'unavailable') {
    return inJson
      ? new Refused('InternalServiceError', 'An error occurred on the server side.', 500)
      : new Refused('ServiceUnavailable', 'The service is not available.', 503);
  }
  if (kind === 'denied') return denied(protocol, operation);
  if (kind !== 'credentials') return undefined;
  const text = 'The security token included in the request is invalid.';
  return inJson ? new Refused('UnrecognizedClientException', text) : new Refused('InvalidClientTokenId', text, 403);
}

export function denied(protocol: Protocol, operation: string): Refused {
  const [code, service, status] =
    protocol === 'json'
      ? (['AccessDeniedException', 'secretsmanager', 400] as const)
      : (['AccessDenied', 'sts', 403] as const);
  const user = 'arn:aws:iam::111122223333:user/keyferry';
  return new Refused(code, `User: ${user} is not authorized to perform: ${service}:${operation}`, status);
}
