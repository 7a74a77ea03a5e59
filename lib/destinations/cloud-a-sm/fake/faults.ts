import type { Fault } from '../../fake.ts';
import { type Protocol, Refused } from './answer.ts';

/** The service's own refusal for a fault, or undefined when the fault sends no answer. STS has other codes for the same faults. */
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
