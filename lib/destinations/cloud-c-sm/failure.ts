import { strangeAdvice, strangeMessage } from '#network/strange-answer.ts';
import { DestinationFailure, type FailureKind } from '../contract.ts';
import { connectionFailed, noAnswer } from '../frame/answer/no-answer.ts';
import { codeList, shownCode } from '../frame/answer/remote-text.ts';
import { unexpected } from '../frame/verb/verb.ts';
import { ApiError } from './client/api-error.ts';
import { Unanswered } from './client/transport.ts';

/**
 * Turns an error into a failure of the contract. The SDK's error of a request is never kept as `cause`: it holds the request, and
 * so the value and the token.
 */
export function explain(error: unknown): DestinationFailure {
  const chain = causesOf(error);
  const known = chain.find((link) => link instanceof DestinationFailure || link instanceof ApiError);
  if (known instanceof DestinationFailure) return known;
  if (known instanceof ApiError) return refused(known);
  if (!chain.some((link) => link instanceof Unanswered)) return strangeAnswer(error) ?? unexpected(error);
  return noAnswer(error) ?? connectionFailed(undefined);
}

/** The failure for a successful answer of another server. Other errors of the SDK are our own faults, whatever their code. */
function strangeAnswer(error: unknown): DestinationFailure | undefined {
  const strange = strangeMessage(error);
  return strange === undefined ? undefined : new DestinationFailure('unavailable', strange);
}

/** The service's code behind an SDK's error: `NOT_FOUND`. */
export const codeOf = (error: unknown): string | undefined =>
  causesOf(error).find((link) => link instanceof ApiError)?.code;

const causesMax = 16;

function causesOf(error: unknown): readonly unknown[] {
  const chain = [error];
  for (const link of chain) if (link instanceof Error && chain.length < causesMax) chain.push(link.cause);
  return chain;
}

/** https://cloud.google.com/apis/design/errors#handling_errors */
const kinds: Readonly<Record<string, FailureKind>> = {
  UNAUTHENTICATED: 'credentials',
  PERMISSION_DENIED: 'permission',
  NOT_FOUND: 'missing',
  ALREADY_EXISTS: 'conflict',
  RESOURCE_EXHAUSTED: 'throttled',
  DEADLINE_EXCEEDED: 'timeout',
  CANCELLED: 'timeout',
  ABORTED: 'unavailable',
  UNAVAILABLE: 'unavailable',
  INTERNAL: 'unavailable',
  UNKNOWN: 'unavailable',
  DATA_LOSS: 'unavailable',
};

/**
 * Canonical codes, and the reasons that the provider documents for them (google.api.ErrorReason).
 * https://github.com/googleapis/googleapis/blob/master/google/api/error_reason.proto
 */
const documentedCodes = codeList(
  ...Object.keys(kinds),
  'INVALID_ARGUMENT FAILED_PRECONDITION OUT_OF_RANGE UNIMPLEMENTED',
  'SERVICE_DISABLED BILLING_DISABLED API_KEY_INVALID API_KEY_SERVICE_BLOCKED RATE_LIMIT_EXCEEDED RESOURCE_QUOTA_EXCEEDED',
  'LOCATION_TAX_POLICY_VIOLATED USER_PROJECT_DENIED CONSUMER_SUSPENDED CONSUMER_INVALID SECURITY_POLICY_VIOLATED',
  'ACCESS_TOKEN_EXPIRED ACCESS_TOKEN_SCOPE_INSUFFICIENT ACCESS_TOKEN_TYPE_UNSUPPORTED ACCOUNT_STATE_INVALID',
  'CREDENTIALS_MISSING RESOURCE_PROJECT_INVALID USER_BLOCKED_BY_ADMIN RESOURCE_USAGE_RESTRICTION_VIOLATED',
  'SYSTEM_PARAMETER_UNSUPPORTED ORG_RESTRICTION_VIOLATION ORG_RESTRICTION_HEADER_INVALID SERVICE_NOT_VISIBLE',
  'GCP_SUSPENDED LOCATION_POLICY_VIOLATED MISSING_ORIGIN OVERLOADED_CREDENTIALS IAM_PERMISSION_DENIED',
);

function refused(error: ApiError): DestinationFailure {
  const kind = kinds[error.code] ?? kindOfStatus(error.status);
  const codes = [error.code, error.reason].filter((code) => shownCode(code, documentedCodes) !== undefined);
  const shown = [`status ${error.status}`, ...codes].join(', ');
  const advice = error.status < 400 ? `: it answered with a redirect: ${strangeAdvice}` : adviceFor(kind, error.reason);
  const { retryAfterMs, requestId, message: said } = error;
  return new DestinationFailure(kind, `the service refused it (${shown})${advice}`, { retryAfterMs, requestId, said });
}

/** For answers that are not in the service's form, so that they do not show whether a secret is absent or taken. */
function kindOfStatus(status: number): FailureKind {
  if (status === 404) return 'missing';
  if (status === 409) return 'unavailable';
  if (status === 413) return 'too-large';
  return status >= 500 ? 'unavailable' : 'invalid';
}

function adviceFor(kind: FailureKind, reason: string | undefined): string {
  if (kind === 'credentials') return ': check credentials, whether the key was deleted and whether the clock is right';
  if (kind === 'missing') return ': check project_id';
  if (kind !== 'permission') return '';
  if (reason === 'SERVICE_DISABLED') return ': enable the Secret Manager API in the project';
  if (reason === 'CONSUMER_INVALID') return ': the project does not exist, check project_id';
  return ': the service account needs the permissions create, get, update and delete of secrets, and add and get (list and destroy, for destroy_old_versions) of versions';
}

/** Replaces a failure by the value that `answers` has for the service's code; other failures are thrown. */
export async function otherwise<T, A>(promise: Promise<T>, answers: Readonly<Record<string, A>>): Promise<T | A> {
  try {
    return await promise;
  } catch (error) {
    const code = codeOf(error);
    for (const [known, answer] of Object.entries(answers)) if (known === code) return answer;
    throw error;
  }
}

/** The answers to a call with an etag; a stale one is FAILED_PRECONDITION: https://cloud.google.com/secret-manager/docs/etags */
export const changedIf = (etag: string | undefined) => ({
  ABORTED: 'changed' as const,
  ...(etag && { FAILED_PRECONDITION: 'changed' as const }),
});
