import { DestinationFailure, type FailureKind } from '../contract.ts';
import { blockedMessage } from '../network/blocked.ts';
import { shownCode } from '../shown-code.ts';
import { ApiError } from './api-error.ts';
import { Unanswered } from './transport.ts';

/**
 * What went wrong, in the words of the contract. The SDK's error is never kept as `cause`: it carries the request, and so the
 * value and the token.
 */
export function explain(error: unknown, what: string): DestinationFailure {
  const chain = causesOf(error);
  const known = chain.find((link) => link instanceof DestinationFailure || link instanceof ApiError);
  if (known instanceof DestinationFailure) return known;
  if (known instanceof ApiError) return refused(known, what);
  const blocked = blockedMessage(error);
  if (blocked !== undefined) return new DestinationFailure('blocked', blocked);
  if (chain.some((link) => link instanceof Unanswered)) return unanswered(chain, what);
  return new DestinationFailure(
    'internal',
    `${what} failed with an unexpected ${error instanceof Error ? error.name : typeof error}`,
  );
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

function refused(error: ApiError, what: string): DestinationFailure {
  const kind = kinds[error.code] ?? (error.status >= 500 ? 'unavailable' : 'invalid');
  const codes = [error.code, ...(error.reason === undefined ? [] : [error.reason])].map(shownCode).join(', ');
  const advice = adviceFor(kind, error.reason);
  const quoted = error.message === '' ? '' : `; the service says: ${error.message}`;
  const message = `${what} was refused (status ${error.status}, ${codes})${advice}${quoted}`;
  return new DestinationFailure(
    kind,
    message,
    error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs },
  );
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
  return 'code' in error && typeof error.code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(error.code)
    ? error.code
    : undefined;
}

const isTrustProblem = (code: string): boolean => /CERT|SIGNATURE|SELF_SIGNED|^ERR_TLS/.test(code);
