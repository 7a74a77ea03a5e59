import { isRestError, type RestError } from '@azure/core-rest-pipeline';
import { strangeAdvice, strangeMessage } from '#network/strange-answer.ts';
import { DestinationFailure, type FailureKind } from '../contract.ts';
import { requestIdOf, retryAfterMs } from '../frame/answer/headers.ts';
import { noAnswer } from '../frame/answer/no-answer.ts';
import { codeList, shownCode } from '../frame/answer/remote-text.ts';
import { unexpected } from '../frame/verb/verb.ts';

/**
 * Turns an error into a failure of the contract. The error of a request is never kept as `cause`: it holds the request, and so the
 * value and the token.
 */
export function explain(error: unknown): DestinationFailure {
  if (error instanceof DestinationFailure) return error;
  if (isRestError(error) && error.statusCode !== undefined) return refused(error);
  return unsent(error) ?? noAnswer(error) ?? unexpected(error);
}

/** The provider's error codes, from outer to inner: `['Conflict', 'ObjectIsBeingDeleted']`. */
export function codesOf(error: unknown): readonly string[] {
  if (!isRestError(error)) return [];
  const codes: string[] = [];
  let link: unknown = get(error.details, 'error');
  for (let depth = 0; depth < 4 && typeof link === 'object' && link !== null; depth++) {
    const code = get(link, 'code');
    if (typeof code === 'string') codes.push(code);
    link = get(link, 'innerError');
  }
  return codes;
}

export const statusOf = (error: unknown): number | undefined => (isRestError(error) ? error.statusCode : undefined);

/** Failures without an answer that get their own advice here. */
function unsent(error: unknown): DestinationFailure | undefined {
  if (!isRestError(error) || strangeMessage(error) !== undefined) return undefined;
  if (error.code === 'ENOTFOUND') return new DestinationFailure('missing', noSuchVault);
  if (error.code !== 'PARSE_ERROR') return undefined;
  return new DestinationFailure('unavailable', `the answer could not be read: ${strangeAdvice}`);
}

// ENOTFOUND means that the name does not exist; a failed look-up of an existing name is EAI_AGAIN.
const noSuchVault = 'its host name does not exist: check key_vault_uri, and whether the vault was deleted';

function refused(error: RestError): DestinationFailure {
  const status = error.statusCode ?? 0;
  const codes = codesOf(error);
  const shown = [`status ${status}`, ...codes.filter((code) => shownCode(code, documentedCodes))].join(', ');
  const kind = kindOf(status);
  const message = `the vault refused it (${shown})${adviceFor(kind, codes, status < 400)}`;
  return new DestinationFailure(kind, message, {
    retryAfterMs: retryAfterMs((name) => error.response?.headers.get(name)),
    requestId: requestIdOf((name) => error.response?.headers.get(name), 'x-ms-request-id'),
  });
}

/** https://learn.microsoft.com/azure/key-vault/general/rest-error-codes and common-error-codes. */
const documentedCodes = codeList(
  'Unauthorized AuthenticationFailed InvalidAuthenticationToken ExpiredAuthenticationToken AKV10022 AKV10032 AKV10046',
  'Forbidden AccessDenied ForbiddenByFirewall ForbiddenByConnection ForbiddenByPolicy ForbiddenByRbac SecretDisabled',
  'SecretNotFound VaultNotFound NotFound ResourceNotFound BadParameter BadRequest InvalidParameter RequestTooLarge',
  'Conflict ObjectIsDeletedButRecoverable ObjectIsBeingDeleted ObjectIsBeingRecovered ObjectIsBeingPurged',
  'ObjectMustBeDeletedPriorToBeingPurged PurgeProtectionEnabled MethodNotAllowed NotSupported Throttled',
  'TooManyRequests VaultRequestRateExceeded VaultRequestTypeLimitReached InternalError InternalServerError',
  'ServiceUnavailable ServerBusy VaultNotYetAvailable GatewayTimeout',
);

/** https://learn.microsoft.com/azure/key-vault/general/rest-error-codes */
export function kindOf(status: number): FailureKind {
  if (status === 401) return 'credentials';
  if (status === 403) return 'permission';
  if (status === 404) return 'missing';
  if (status === 408) return 'timeout';
  if (status === 409) return 'conflict';
  if (status === 413) return 'too-large';
  if (status === 429) return 'throttled';
  return status >= 500 ? 'unavailable' : 'invalid';
}

function adviceFor(kind: FailureKind, codes: readonly string[], redirected: boolean): string {
  if (redirected) return `: it answered with a redirect: ${strangeAdvice}`;
  if (kind === 'credentials') return ': check tenant_id, client_id and client_secret';
  if (kind !== 'permission') return '';
  if (codes.includes('ForbiddenByFirewall')) return ': the firewall of the vault blocks this service';
  if (codes.includes('ForbiddenByConnection'))
    return ': the vault accepts connections through its private endpoint only';
  if (codes.includes('SecretDisabled')) return ': the secret is disabled';
  return ': the app registration needs the role Key Vault Secrets Officer, or an access policy with get, list, set, delete, recover (and purge, for purge_on_delete)';
}

function get(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
