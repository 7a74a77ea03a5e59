import type { Answer } from '../../frame/fake/rest.ts';

const statuses = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  RESOURCE_EXHAUSTED: 429,
  UNAVAILABLE: 503,
} as const;

/** google.rpc.Status as JSON: https://google.aip.dev/193 */
export function problem(status: keyof typeof statuses, message: string, details: readonly object[] = []): Answer {
  const code = statuses[status];
  return { status: code, body: { error: { code, message, status, ...(details.length > 0 && { details }) } } };
}

export const notFound = (what: string): Answer => problem('NOT_FOUND', `${what} not found.`);
export const invalid = (message: string): Answer => problem('INVALID_ARGUMENT', message);
export const ok = (body: object): Answer => ({ status: 200, body });
