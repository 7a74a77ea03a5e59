import { strangeAdvice } from '../../network/strange-answer.ts';
import { DestinationFailure, type FailureKind } from '../contract.ts';
import type { Answer, ApiError } from './exchange.ts';
import type { Target } from './target.ts';

interface Refusal {
  readonly kind: FailureKind;
  readonly advice: string;
}

/** An answer that is no success. */
export function refusedFailure({ text, rights }: Target, answer: Answer): DestinationFailure {
  const { kind, advice } = refusalOf(answer, rights);
  return new DestinationFailure(kind, `the host answered ${answer.status} for ${text}; ${advice}`, {
    retryAfterMs: answer.retryAfterMs,
    requestId: answer.requestId,
    said: answer.errors.map(saidOf).join('; '),
  });
}

/** A variable that is listed, but whose change is answered as if it were not there: the host's way of refusing. */
export const notAllowed = ({ text, rights }: Target): DestinationFailure =>
  new DestinationFailure(
    'permission',
    `the host shows the variable of ${text} and answers 404 to its change; the token needs ${rights}`,
  );

/** A success whose content is none of the host's. @param what "list of variables" */
export const strangeHost = (what: string): DestinationFailure =>
  new DestinationFailure('unavailable', `the host sent no ${what}: ${strangeAdvice}`);

function refusalOf({ status, errors }: Answer, rights: string): Refusal {
  // Successes were separated from refusals before: this one is not of the host.
  if (status < 300) return { kind: 'unavailable', advice: `this is no answer of it: ${strangeAdvice}` };
  if (status < 400) return { kind: 'invalid', advice: `that is a redirect: ${strangeAdvice}` };
  if (status >= 500) return { kind: 'unavailable', advice: 'it is out of order' };
  if (status === 403) return { kind: 'permission', advice: `the token needs ${rights}` };
  if (status === 404) {
    return { kind: 'missing', advice: `it does not exist, or the token may not see it: it needs ${rights}` };
  }
  return byStatus[status] ?? (status === 422 ? unprocessable(errors) : invalid);
}

const invalid: Refusal = { kind: 'invalid', advice: 'it did not accept the request' };
const taken: Refusal = { kind: 'conflict', advice: 'a variable of this name is there already' };

const byStatus: Readonly<Record<number, Refusal>> = {
  401: { kind: 'credentials', advice: 'the token is wrong or has expired: set another token' },
  408: { kind: 'timeout', advice: 'it gave up waiting' },
  // Some compatible hosts answer so what others answer with 422.
  409: taken,
  413: { kind: 'too-large', advice: 'the value is larger than it takes' },
  429: { kind: 'throttled', advice: 'its rate limit is used up' },
};

const byText: readonly (readonly [RegExp, Refusal])[] = [
  [/already (been taken|exists)|already in use/i, taken],
  [/value.*(too (long|large|big)|maximum|exceed|256)/i, { kind: 'too-large', advice: 'a value has at most 256 KB' }],
  [/maximum number|limit of \d|too many/i, { kind: 'quota', advice: 'remove variables there first' }],
  [/^\/data\/attributes\/key\b|^key\b/i, { kind: 'name', advice: 'change secret_name_template' }],
];

/** 422 stands for every rule of the host; only its words and the member that they are about say which one. */
function unprocessable(errors: readonly ApiError[]): Refusal {
  const texts = errors.flatMap(({ title, detail, pointer }) => [detail, title, pointer]);
  return byText.find(([pattern]) => texts.some((text) => pattern.test(text.slice(0, textLengthMax))))?.[1] ?? invalid;
}

/** Of a text of the host that is looked at. */
const textLengthMax = 500;

const saidOf = ({ title, detail }: ApiError): string => [title, detail].filter((text) => text !== '').join(': ');
