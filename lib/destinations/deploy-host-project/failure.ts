import type { Clock } from '#core/clock.ts';
import { strangeAdvice } from '#network/strange-answer.ts';
import { DestinationFailure, type FailureKind } from '../contract.ts';
import { boundedWaitMs } from '../frame/answer/headers.ts';
import { codeList, shownCode } from '../frame/answer/remote-text.ts';
import type { Answer } from './exchange.ts';

interface Refusal {
  readonly kind: FailureKind;
  readonly advice: string;
}

/** Error codes that determine the failure where the status does not. Messages of the API may quote a value, so they are not shown. */
const byCode: readonly (readonly [RegExp, Refusal])[] = [
  // 400 from version 10 of the API, 403 from older ones.
  [
    /^(env_conflict|env_already_exists|existing_key_and_target)$/i,
    {
      kind: 'conflict',
      advice: 'a variable of this name already exists; rename one of them, or let the association adopt it',
    },
  ],
  [/rate_limited|too_many_requests/i, { kind: 'throttled', advice: 'the rate limit is used up' }],
  [/reserved|invalid_character|invalid_key|invalid_name/i, { kind: 'name', advice: 'change secret_name_template' }],
  [
    /limit|quota|exceed|too_many|size/i,
    {
      kind: 'quota',
      advice: 'the project is full (64 KB and 1000 variables for each environment): remove some variables',
    },
  ],
];

const byStatus: Readonly<Record<number, Refusal>> = {
  401: { kind: 'credentials', advice: 'set a valid access_token' },
  403: { kind: 'permission', advice: 'give access_token the right to change the project, and check team_id' },
  404: { kind: 'missing', advice: 'check project_id and team_id' },
  408: { kind: 'timeout', advice: 'the service was too slow' },
  // An existing variable has its own code, so any other 409 means that the project is being transferred.
  409: { kind: 'unavailable', advice: 'the project cannot be changed at the moment' },
  413: { kind: 'too-large', advice: 'the value is larger than the service accepts' },
  429: { kind: 'throttled', advice: 'the rate limit is used up' },
};

const unavailable: Refusal = { kind: 'unavailable', advice: 'the service is out of order' };
const redirected: Refusal = { kind: 'invalid', advice: `the service answered with a redirect: ${strangeAdvice}` };
const invalid: Refusal = { kind: 'invalid', advice: 'the service did not understand the request' };

/** The failure for an answer that is not a success. `project`: "project prj_1". */
export function refusedFailure(project: string, answer: Answer, clock: Clock): DestinationFailure {
  const { kind, advice } = refusalOf(answer);
  const facts = [project, `status ${answer.status}`, ...shown(answer.error.code)].join(', ');
  return new DestinationFailure(kind, `${advice} (${facts})`, {
    retryAfterMs: waitMs(kind, answer, clock),
    requestId: answer.requestId,
  });
}

/** The failure of one refused variable among others. */
export function codeFailure(code: string): DestinationFailure {
  const { kind, advice } = byCode.find(([pattern]) => pattern.test(code))?.[1] ?? invalid;
  return new DestinationFailure(kind, [advice, ...shown(code)].join(', '));
}

/** https://vercel.com/docs/rest-api/errors, and the codes about environment variables in the provider's command line. */
const documentedCodes = codeList(
  'bad_request forbidden not_found rate_limited too_many_requests internal_server_error service_unavailable conflict',
  'method_unknown not_authorized team_not_found id_not_found max_envs_exceeded too_many_ids too_many_keys',
  'env_conflict env_already_exists env_should_be_a_secret existing_key_and_target reserved_env_variable key_reserved',
  'invalid_key invalid_value key_invalid_characters key_invalid_length missing_id missing_key missing_target missing_value',
  'env_too_many_keys env_key_invalid_characters env_key_invalid_length env_value_invalid_length env_value_invalid_type',
  'env_size_exceeded system_env_with_value value_invalid_length value_invalid_type',
);

/** The service writes some of its codes in capitals. */
const shown = (code: string): readonly string[] =>
  shownCode(code.toLowerCase(), documentedCodes) === undefined ? [] : [`code ${code}`];

function refusalOf({ status, error }: Answer): Refusal {
  if (status >= 500) return unavailable;
  if (status >= 300 && status < 400) return redirected;
  // A wrong or missing token is a 403 with one of these flags.
  if (error.invalidToken || error.missingToken) return byStatus[401] ?? invalid;
  const known = status === 404 ? undefined : byCode.find(([pattern]) => pattern.test(error.code))?.[1];
  return known ?? byStatus[status] ?? invalid;
}

/** From Retry-After or, for a used-up limit, from the body's `limit.reset` (seconds since 1970) or `limit.resetMs`. */
function waitMs(kind: FailureKind, { retryAfterMs, error }: Answer, clock: Clock): number | undefined {
  const resetMs = error.limit?.resetMs ?? (error.limit?.reset ?? 0) * 1000;
  if (retryAfterMs !== undefined || kind !== 'throttled' || resetMs === 0) return retryAfterMs;
  return boundedWaitMs(resetMs - clock.now().getTime());
}
