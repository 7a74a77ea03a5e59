import { strangeAdvice } from '#network/strange-answer.ts';
import { DestinationFailure, type FailureKind } from '../contract.ts';
import { boundedWaitMs, remoteNow, requestIdOf, retryAfterMs } from '../frame/answer/headers.ts';
import { cannot } from '../frame/verb/verb.ts';
import type { Answer, Call } from './exchange.ts';

/** The failure for an answer that is not a success. */
export function refusal(
  answer: Answer,
  { step, where, rights }: Pick<Call, 'step' | 'where' | 'rights'>,
): DestinationFailure {
  const { kind, advice } = judge(answer, rights);
  const at = where === undefined ? '' : ` for ${where}`;
  const failure = new DestinationFailure(kind, `the host answered ${answer.status}${at}; ${advice}`, {
    retryAfterMs: throttledForMs(answer),
    requestId: requestIdOf((name) => answer.headers[name], 'x-github-request-id'),
    said: hostMessage(answer.data),
  });
  return step === undefined ? failure : cannot(step, failure);
}

/**
 * Whether an answer has the host's request id, which is on each of its answers. A success without a body and without the id may come
 * from another server, so the caller then looks. (A missing id alone proves nothing: a proxy may remove it.)
 */
export const isSigned = ({ headers }: Answer): boolean => headers['x-github-request-id'] !== undefined;

interface Judgement {
  readonly kind: FailureKind;
  readonly advice: string;
}

function judge(answer: Answer, rights: string): Judgement {
  const { status } = answer;
  // Valid successes never get here, so this answer did not come from the host.
  if (status < 300) return { kind: 'unavailable', advice: `the answer did not come from it: ${strangeAdvice}` };
  if (status < 400) return { kind: 'invalid', advice: `this is a redirect: ${strangeAdvice}` };
  if (status >= 500) return { kind: 'unavailable', advice: 'it is out of order' };
  // A missing permission is a 403 too: only the headers and text of a rate limit distinguish the two.
  if (status === 429 || (status === 403 && throttledForMs(answer) !== undefined)) {
    return { kind: 'throttled', advice: 'its rate limit is used up' };
  }
  if (status === 403) return { kind: 'permission', advice: `the credentials need ${rights}` };
  return byStatus[status] ?? (status === 422 ? unprocessable(hostMessage(answer.data)) : invalid);
}

const invalid: Judgement = { kind: 'invalid', advice: 'check the fields of the destination' };

const byStatus: Readonly<Record<number, Judgement>> = {
  401: { kind: 'credentials', advice: 'the token is wrong or has expired: set new credentials' },
  404: { kind: 'missing', advice: 'it does not exist, or the credentials may not see it' },
  408: { kind: 'unavailable', advice: 'it gave up waiting' },
  409: { kind: 'unavailable', advice: 'another change is in progress there' },
  413: { kind: 'too-large', advice: 'secrets are limited to 48 KB' },
  451: { kind: 'permission', advice: 'it is blocked for legal reasons' },
};

/** 422 is for every rule of the host; only the text shows which one. */
function unprocessable(said: string): Judgement {
  if (/too large|too long|maximum size/i.test(said))
    return { kind: 'too-large', advice: 'secrets are limited to 48 KB' };
  if (/secret names?/i.test(said)) return { kind: 'name', advice: 'change secret_name_template' };
  if (/maximum number|limit of \d|too many/i.test(said)) return { kind: 'quota', advice: 'remove secrets there first' };
  return invalid;
}

/** The failure for a success whose body is not in the host's form. */
export const strangeHost = (): DestinationFailure =>
  new DestinationFailure('unavailable', `the answer did not come from the host: ${strangeAdvice}`);

/** The `message` of an error body. Other bodies are not repeated: they may be pages of a proxy. */
export function hostMessage(data: unknown): string {
  if (typeof data !== 'object' || data === null || !('message' in data)) return '';
  return typeof data.message === 'string' ? data.message : '';
}

const minuteMs = 60_000;

/**
 * The wait that a 403, 429 or 5xx asks for, in milliseconds; undefined when it reports no limit. The order is the host's:
 * Retry-After, then the reset of a used-up budget, then "at least one minute" for a secondary limit.
 * https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
 */
export function throttledForMs(answer: Answer): number | undefined {
  const waitMs = askedForMs(answer);
  return waitMs === undefined ? undefined : boundedWaitMs(waitMs);
}

function askedForMs(answer: Answer): number | undefined {
  const requested = retryAfterMs((name) => answer.headers[name], answer.receivedAt);
  if (answer.status >= 500) return requested;
  if (answer.status !== 403 && answer.status !== 429) return undefined;
  return requested ?? resetAfterMs(answer) ?? unnamedMs(answer);
}

/** `x-ratelimit-reset` is in seconds since 1970 on the host's clock. */
function resetAfterMs(answer: Answer): number | undefined {
  if (String(answer.headers['x-ratelimit-remaining']) !== '0') return undefined;
  const reset = Number(answer.headers['x-ratelimit-reset']);
  return Number.isFinite(reset) ? reset * 1000 - hostNow(answer).getTime() : minuteMs;
}

function unnamedMs({ status, data }: Answer): number | undefined {
  return status === 429 || /rate limit|abuse detection/i.test(hostMessage(data)) ? minuteMs : undefined;
}

/** The host's time when it answered, or ours where the answer has no date. */
export const hostNow = ({ headers, receivedAt }: Answer): Date => remoteNow((name) => headers[name], receivedAt);
