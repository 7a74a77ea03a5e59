import { blockedMessage } from '../../network/blocked.ts';
import { strangeAdvice, strangeMessage } from '../../network/strange-answer.ts';
import { DestinationFailure, type FailureKind } from '../contract.ts';
import { codeList, localCode, shownCode } from '../frame/shown-code.ts';
import { ApiError } from './api-error.ts';
import { Unanswered } from './transport.ts';

/**
 * What went wrong, in the words of the contract. The SDK's error of a request is never kept as `cause`: it carries the
 * request, and so the value and the token.
 */
export function explain(error: unknown, what: string): DestinationFailure {
  const chain = causesOf(error);
  const known = chain.find((link) => link instanceof DestinationFailure || link instanceof ApiError);
  if (known instanceof DestinationFailure) return known;
  if (known instanceof ApiError) return refused(known, what);
  const blocked = blockedMessage(error);
  if (blocked !== undefined) return new DestinationFailure('blocked', blocked);
  const strange = strangeMessage(error);
  if (strange !== undefined) return new DestinationFailure('unavailable', `${what}: ${strange}`);
  if (chain.some((link) => link instanceof Unanswered)) return unanswered(chain, what);
  return new DestinationFailure('internal', `${what}: unexpected error`, { cause: error });
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

function refused(error: ApiError, what: string): DestinationFailure {
  const kind = kinds[error.code] ?? (error.status >= 500 ? 'unavailable' : 'invalid');
  const codes = [error.code, error.reason].filter((code) => shownCode(code, documentedCodes) !== undefined);
  const shown = [`status ${error.status}`, ...codes].join(', ');
  const advice = error.status < 400 ? `: it answers with a redirect: ${strangeAdvice}` : adviceFor(kind, error.reason);
  const { retryAfterMs, message: said } = error;
  return new DestinationFailure(kind, `${what} was refused (${shown})${advice}`, { retryAfterMs, said });
}

function adviceFor(kind: FailureKind, reason: string | undefined): string {
  if (kind === 'credentials') return ': check credentials, whether the key was deleted and whether the clock is right';
  if (kind === 'missing') return ': check project_id';
  if (kind !== 'permission') return '';
  if (reason === 'SERVICE_DISABLED') return ': the Secret Manager API has to be enabled in the project';
  if (reason === 'CONSUMER_INVALID') return ': there is no such project, check project_id';
  return ': the service account needs the permissions create, get, update and delete of secrets, and add and get (list and destroy, for destroy_old_versions) of versions';
}

/** `code` is that of the socket or of TLS. */
function unanswered(chain: readonly unknown[], what: string): DestinationFailure {
  const errors = chain.filter((link) => link instanceof Error);
  const code = errors.map(socketCode).findLast((found) => found !== undefined) ?? 'no code';
  const ended = errors.some(({ name }) => name === 'TimeoutError' || name === 'AbortError');
  if (ended || code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return new DestinationFailure('timeout', `${what}: the service did not answer in time`);
  }
  const advice = isTrustProblem(code) ? '; if its certificate is signed by a private authority, set tls_ca_cert' : '';
  return new DestinationFailure('network', `${what}: the connection failed (${code})${advice}`);
}

function socketCode(error: Error): string | undefined {
  const code = 'code' in error && typeof error.code === 'string' ? localCode(error.code) : 'no code';
  return code === 'no code' ? undefined : code;
}

const isTrustProblem = (code: string): boolean => /CERT|SIGNATURE|SELF_SIGNED|^ERR_TLS/.test(code);
