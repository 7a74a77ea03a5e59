import type { Clock } from '../../core/clock.ts';
import { blockedMessage } from '../../network/blocked.ts';
import { strangeAdvice, strangeMessage } from '../../network/strange-answer.ts';
import { DestinationFailure, type FailureKind } from '../contract.ts';
import { codeList, localCode, shownCode } from '../frame/shown-code.ts';
import type { Answer } from './exchange.ts';

interface Refusal {
  readonly kind: FailureKind;
  readonly advice: string;
}

/** The API's error codes, where the status alone does not tell. Messages of the API may quote a value: they are not shown. */
const byCode: readonly (readonly [RegExp, Refusal])[] = [
  // 400 from version 10 of the API, 403 from older ones.
  [
    /^(env_conflict|env_already_exists|existing_key_and_target)$/i,
    {
      kind: 'conflict',
      advice: 'a variable of this name is there already; rename one of them, or let the association adopt it',
    },
  ],
  [/rate_limited|too_many_requests/i, { kind: 'throttled', advice: 'the rate limit is used up' }],
  [/reserved|invalid_character|invalid_key|invalid_name/i, { kind: 'name', advice: 'change secret_name_template' }],
  [
    /limit|quota|exceed|too_many|size/i,
    {
      kind: 'quota',
      advice: 'the project has no room: 64 KB and 1000 variables for each environment; remove some',
    },
  ],
];

const byStatus: Readonly<Record<number, Refusal>> = {
  401: { kind: 'credentials', advice: 'set a valid access_token' },
  403: { kind: 'permission', advice: 'give access_token the right to change the project, and check team_id' },
  404: { kind: 'missing', advice: 'check project_id and team_id' },
  408: { kind: 'timeout', advice: 'the service was too slow' },
  // A variable that is there already has a code of its own, so what is left is a project that is just being transferred.
  409: { kind: 'unavailable', advice: 'the project cannot be changed at the moment' },
  413: { kind: 'too-large', advice: 'the value is larger than the service takes' },
  429: { kind: 'throttled', advice: 'the rate limit is used up' },
};

const unavailable: Refusal = { kind: 'unavailable', advice: 'the service has trouble' };
const redirected: Refusal = { kind: 'invalid', advice: `the service answered with a redirect: ${strangeAdvice}` };
const invalid: Refusal = { kind: 'invalid', advice: 'the service did not understand the request' };

/** An answer that is no success. */
export function refusedFailure(action: string, answer: Answer, clock: Clock): DestinationFailure {
  const { kind, advice } = refusalOf(answer);
  const message = `cannot ${action}: ${advice} (${[`status ${answer.status}`, ...shown(answer.error.code)].join(', ')})`;
  const retryAfterMs = kind === 'throttled' ? waitMs(answer, clock) : undefined;
  return new DestinationFailure(kind, message, retryAfterMs === undefined ? {} : { retryAfterMs });
}

/** One variable that was refused among others. */
export function codeFailure(action: string, code: string): DestinationFailure {
  const { kind, advice } = byCode.find(([pattern]) => pattern.test(code))?.[1] ?? invalid;
  return new DestinationFailure(kind, `cannot ${action}: ${[advice, ...shown(code)].join(', ')}`);
}

/** https://vercel.com/docs/rest-api/errors, and those that the provider's command line knows of environment variables. */
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
  // A token that is wrong or missing is 403 here, told apart by these flags.
  if (error.invalidToken || error.missingToken) return byStatus[401] ?? invalid;
  const told = status === 404 ? undefined : byCode.find(([pattern]) => pattern.test(error.code))?.[1];
  return told ?? byStatus[status] ?? invalid;
}

/** From Retry-After (seconds), else from the body's `limit.reset` (seconds since 1970) or `limit.resetMs`. */
function waitMs({ retryAfterSeconds, error }: Answer, clock: Clock): number | undefined {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1000;
  const resetMs = error.limit?.resetMs ?? (error.limit?.reset ?? 0) * 1000;
  return resetMs === 0 ? undefined : Math.max(0, resetMs - clock.now().getTime());
}

const timeoutCodes = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'];

/** What ended a verb outside its calls: the caller, or a fault of ours. */
export function endedFailure(action: string, error: unknown, signal?: AbortSignal): DestinationFailure {
  if (error instanceof DestinationFailure) return error;
  if (signal?.aborted === true) return silentFailure(action, error, true);
  return new DestinationFailure('internal', `cannot ${action}: unexpected error`, { cause: error });
}

/** A call that got no answer. Of its error only the code is told: messages of HTTP clients may quote what was sent. */
export function silentFailure(action: string, error: unknown, stopped: boolean): DestinationFailure {
  if (error instanceof DestinationFailure) return error;
  const blocked = blockedMessage(error);
  if (blocked !== undefined) return new DestinationFailure('blocked', `cannot ${action}: ${blocked}`);
  if (stopped) return new DestinationFailure('timeout', `cannot ${action}: the operation was ended before it was done`);
  const strange = strangeMessage(error);
  if (strange !== undefined) return new DestinationFailure('unavailable', `cannot ${action}: ${strange}`);
  const code = codeOf(error);
  if (isTimeout(error) || timeoutCodes.includes(code)) {
    return new DestinationFailure('timeout', `cannot ${action}: no answer in time (${code})`);
  }
  return new DestinationFailure('network', `cannot ${action}: ${code}; check endpoint, DNS and the network between`);
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';

/** fetch wraps what happened to the socket in a TypeError. */
function codeOf(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return inner instanceof Error && 'code' in inner && typeof inner.code === 'string'
    ? localCode(inner.code)
    : 'no code';
}
