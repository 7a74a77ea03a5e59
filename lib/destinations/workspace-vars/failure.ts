import { strangeAdvice } from '#network/strange-answer.ts';
import { DestinationFailure, type FailureKind } from '../contract.ts';
import type { Answer, ApiError } from './exchange.ts';
import type { Target } from './fields/target.ts';

interface Refusal {
  readonly kind: FailureKind;
  readonly advice: string;
}

/** The failure for an answer that is not a success. */
export function refusedFailure({ text, rights }: Target, answer: Answer): DestinationFailure {
  const { kind, advice } = refusalOf(answer, rights);
  return new DestinationFailure(kind, `the host answered ${answer.status} for ${text}; ${advice}`, {
    retryAfterMs: answer.retryAfterMs,
    requestId: answer.requestId,
    said: answer.errors.map(saidOf).join('; '),
  });
}

/** The failure for a listed variable whose change is answered with 404, which is how the host refuses it. */
export const notAllowed = ({ text, rights }: Target): DestinationFailure =>
  new DestinationFailure(
    'permission',
    `the host lists the variable of ${text} but answers 404 to a change of it; the token needs ${rights}`,
  );

/** The failure for a success whose body is not in the host's form. @param what "list of variables" */
export const strangeHost = (what: string): DestinationFailure =>
  new DestinationFailure('unavailable', `the host did not send a valid ${what}: ${strangeAdvice}`);

function refusalOf({ status, errors }: Answer, rights: string): Refusal {
  // Valid successes never get here, so this answer did not come from the host.
  if (status < 300) return { kind: 'unavailable', advice: `the answer did not come from it: ${strangeAdvice}` };
  if (status < 400) return { kind: 'invalid', advice: `this is a redirect: ${strangeAdvice}` };
  if (status >= 500) return { kind: 'unavailable', advice: 'it is out of order' };
  if (status === 403) return { kind: 'permission', advice: `the token needs ${rights}` };
  if (status === 404) {
    return { kind: 'missing', advice: `it does not exist, or the token may not see it: it needs ${rights}` };
  }
  return byStatus[status] ?? (status === 422 ? unprocessable(errors) : invalid);
}

const invalid: Refusal = { kind: 'invalid', advice: 'it did not accept the request' };
const taken: Refusal = { kind: 'conflict', advice: 'a variable of this name already exists' };

const byStatus: Readonly<Record<number, Refusal>> = {
  401: { kind: 'credentials', advice: 'the token is wrong or has expired: set another token' },
  408: { kind: 'timeout', advice: 'it gave up waiting' },
  // Some compatible hosts use 409 where others use 422.
  409: taken,
  413: { kind: 'too-large', advice: 'the value is larger than it accepts' },
  429: { kind: 'throttled', advice: 'its rate limit is used up' },
};

const byText: readonly (readonly [RegExp, Refusal])[] = [
  [/already (been taken|exists)|already in use/i, taken],
  [/value.*(too (long|large|big)|maximum|exceed|256)/i, { kind: 'too-large', advice: 'a value has at most 256 KB' }],
  [/maximum number|limit of \d|too many/i, { kind: 'quota', advice: 'remove variables there first' }],
  [/^\/data\/attributes\/key\b|^key\b/i, { kind: 'name', advice: 'change secret_name_template' }],
];

/** 422 is for every rule of the host; only its texts and the member that they concern show which one. */
function unprocessable(errors: readonly ApiError[]): Refusal {
  const texts = errors.flatMap(({ title, detail, pointer }) => [detail, title, pointer]);
  return byText.find(([pattern]) => texts.some((text) => pattern.test(text.slice(0, textLengthMax))))?.[1] ?? invalid;
}

/** Only the first characters of the host's text are matched. */
const textLengthMax = 500;

const saidOf = ({ title, detail }: ApiError): string => [title, detail].filter((text) => text !== '').join(': ');
