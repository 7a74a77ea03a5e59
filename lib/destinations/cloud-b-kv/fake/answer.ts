import type { Fault } from '../../fake.ts';
import type { Answer } from '../../frame/fake/rest.ts';

/** The vault's error body: https://learn.microsoft.com/azure/key-vault/general/rest-error-codes */
export function problem(status: number, code: string, message: string, innerCode?: string): Answer {
  const inner = innerCode === undefined ? {} : { innererror: { code: innerCode } };
  return { status, body: { error: { code, message, ...inner } } };
}

export const badParameter = (message: string): Answer => problem(400, 'BadParameter', message);

export const notFound = (name: string): Answer =>
  problem(404, 'SecretNotFound', `A secret with (name/id) ${name} was not found in this key vault.`);

/** The vault's own answer for a fault, or undefined when the fault sends no answer. */
export function faultAnswer({ kind, retryAfterSeconds = 10 }: Fault): Answer | undefined {
  if (kind === 'throttle') {
    const message = 'Request was not processed because too many requests were received.';
    return { ...problem(429, 'Throttled', message), headers: { 'retry-after': String(retryAfterSeconds) } };
  }
  if (kind === 'unavailable') return problem(503, 'ServiceUnavailable', 'The service is temporarily unavailable.');
  if (kind === 'denied') return problem(403, 'Forbidden', 'Caller is not authorized.', 'ForbiddenByRbac');
  return undefined;
}
