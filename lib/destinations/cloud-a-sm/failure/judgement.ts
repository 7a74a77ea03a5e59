// Beyond the usual files: the service has some sixty error codes, and this table maps them to kinds of failure.
import { strangeAdvice } from '#network/strange-answer.ts';
import type { FailureKind } from '../../contract.ts';
import { codeList } from '../../frame/answer/remote-text.ts';

/** `quotable`: the service's text helps and never quotes the request, as texts on bad parameters and signatures may. */
export interface Judgement {
  readonly kind: FailureKind;
  readonly advice: string;
  readonly quotable: boolean;
}

/** Each operation has its own text for a secret that is scheduled for deletion. */
export const scheduledText = /scheduled for deletion|marked (for deletion|deleted)|was deleted/i;

const judgements = {
  credentials: plain('credentials', 'the credentials are wrong, expired or missing: set new ones'),
  noCredentials: plain(
    'credentials',
    'set access_key_id and secret_access_key, or give the worker credentials by AWS_* variables, shared config or web ' +
      'identity; the metadata services of containers and instances are used only where allowed_ipv4_addresses allows them',
  ),
  clock: plain('unavailable', 'the clocks of worker and provider differ'),
  permission: quoted(
    'permission',
    "give the credentials this permission (in IAM, the secret's policy or the KMS key's)",
  ),
  throttled: plain('throttled', 'its rate limit is used up'),
  unavailable: plain('unavailable', 'the service is out of order'),
  quota: quoted('quota', 'a quota of the account is used up: remove secrets or versions, or ask for more'),
  key: quoted('invalid', 'check kms_key_id and the state of the key'),
  state: quoted('invalid', 'the secret is in a state that does not allow it'),
  parameter: plain('invalid', 'the service rejected the parameters: check the fields of the destination'),
  exists: quoted('conflict', 'it already exists'),
  absent: quoted('missing', 'it does not exist'),
  tooLarge: plain('too-large', 'the request is too large'),
  stranger: plain('unavailable', `the answer did not come from the service: ${strangeAdvice}`),
  redirect: plain('invalid', `it answered with a redirect: ${strangeAdvice}`),
} as const;

const codes: ReadonlyMap<string, Judgement> = new Map(
  (
    [
      ['noCredentials', 'CredentialsProviderError TokenProviderError'],
      [
        'credentials',
        'UnrecognizedClientException InvalidClientTokenId ExpiredToken ExpiredTokenException SignatureDoesNotMatch ' +
          'InvalidSignatureException IncompleteSignature IncompleteSignatureException MissingAuthenticationToken ' +
          'MissingAuthenticationTokenException InvalidAccessKeyId AuthFailure OptInRequired InvalidIdentityToken ' +
          'InvalidIdentityTokenException IDPRejectedClaim IDPRejectedClaimException',
      ],
      ['clock', 'RequestTimeTooSkewed RequestExpired RequestInTheFuture'],
      ['permission', 'AccessDenied AccessDeniedException UnauthorizedOperation NotAuthorized'],
      [
        'throttled',
        'ThrottlingException Throttling ThrottledException RequestLimitExceeded TooManyRequestsException ' +
          'RequestThrottled RequestThrottledException SlowDown PriorRequestNotComplete',
      ],
      [
        'unavailable',
        'InternalServiceError InternalServiceErrorException InternalFailure InternalError InternalServerError ' +
          'ServiceUnavailable ServiceUnavailableException IDPCommunicationError IDPCommunicationErrorException',
      ],
      ['quota', 'LimitExceededException LimitExceeded ServiceQuotaExceededException'],
      ['key', 'EncryptionFailure DecryptionFailure'],
      ['state', 'InvalidRequestException PreconditionNotMetException RegionDisabledException'],
      ['exists', 'ResourceExistsException'],
      ['absent', 'ResourceNotFoundException'],
      ['tooLarge', 'RequestEntityTooLarge RequestEntityTooLargeException'],
    ] as const
  ).flatMap(([judgement, list]) => list.split(' ').map((code): [string, Judgement] => [code, judgements[judgement]])),
);

/**
 * Codes that are shown.
 * https://docs.aws.amazon.com/secretsmanager/latest/apireference/CommonErrors.html and the errors of the operations that we use
 */
export const documentedCodes = codeList(
  ...codes.keys(),
  'InvalidParameterException InvalidParameterValue InvalidParameterCombination InvalidNextTokenException InvalidAction',
  'InvalidQueryParameter MalformedQueryString MalformedHttpRequestException MissingAction MissingParameter',
  'MalformedPolicyDocument MalformedPolicyDocumentException PublicPolicyException PackedPolicyTooLarge',
  'PackedPolicyTooLargeException ValidationError ValidationException SerializationException UnknownOperationException',
);

const statuses: ReadonlyMap<number, Judgement> = new Map([
  [401, judgements.credentials],
  [403, plain('permission', 'the credentials need more permissions, or a proxy refused the request')],
  [404, plain('missing', 'nothing is served there: check endpoint')],
  [408, judgements.unavailable],
  [409, plain('conflict', 'another operation on it is in progress')],
  [413, judgements.tooLarge],
  [429, judgements.throttled],
]);

/** Decides by the service's code, or by the status when the code is unknown or another server answered. */
export function judge({
  code,
  status = 0,
  message,
}: {
  code: string;
  status?: number | undefined;
  message: string;
}): Judgement {
  // The service reports a wrong clock as a bad signature. The SDK adjusts to the clock of the answer for its next call.
  if (/^Signature/.test(code) || code === 'InvalidSignatureException') {
    if (/expired|not yet current/i.test(message)) return judgements.clock;
  }
  const known = codes.get(code) ?? statuses.get(status);
  if (known !== undefined) return known;
  if (status >= 500) return judgements.unavailable;
  // A successful answer that cannot be read comes from another server.
  if (status >= 200 && status < 300) return judgements.stranger;
  return status >= 300 && status < 400 ? judgements.redirect : judgements.parameter;
}

function plain(kind: FailureKind, advice: string): Judgement {
  return { kind, advice, quotable: false };
}

function quoted(kind: FailureKind, advice: string): Judgement {
  return { kind, advice, quotable: true };
}
