import { strangeAdvice } from '../../network/strange-answer.ts';
import { DestinationFailure, type FailureKind } from '../contract.ts';
import type { Answer, Call } from './exchange.ts';
import { throttledForMs } from './throttle.ts';

/** Names an answer that is not a success. `action` and `rights` as in `Call`. */
export function refusal(answer: Answer, { action, rights }: Pick<Call, 'action' | 'rights'>): DestinationFailure {
  const { kind, advice } = judge(answer, rights);
  const retryAfterMs = throttledForMs(answer);
  const message = `cannot ${action}: the host answered ${answer.status}; ${advice}`;
  return new DestinationFailure(kind, message, { retryAfterMs, said: hostMessage(answer.data) });
}

/**
 * The host puts an id on each answer. A success without a body and without the id may be anybody's: whoever gets one asks
 * what is there. (A proxy may take the id off, so that alone proves nothing.)
 */
export const isSigned = ({ headers }: Answer): boolean => headers['x-github-request-id'] !== undefined;

interface Judgement {
  readonly kind: FailureKind;
  readonly advice: string;
}

function judge(answer: Answer, rights: string): Judgement {
  const { status } = answer;
  // A success is told from a refusal before: this one is not of the host.
  if (status < 300) return { kind: 'unavailable', advice: `this is no answer of it: ${strangeAdvice}` };
  if (status < 400) return { kind: 'invalid', advice: `that is a redirect: ${strangeAdvice}` };
  if (status >= 500) return { kind: 'unavailable', advice: 'it is out of order' };
  // A missing right is 403 as well: only the marks of a rate limit tell the two apart.
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
  409: { kind: 'unavailable', advice: 'another change is under way there' },
  413: { kind: 'too-large', advice: 'secrets are limited to 48 KB' },
  451: { kind: 'permission', advice: 'it is blocked for legal reasons' },
};

/** 422 stands for every rule of the host; only the text says which one. */
function unprocessable(said: string): Judgement {
  if (/too large|too long|maximum size/i.test(said))
    return { kind: 'too-large', advice: 'secrets are limited to 48 KB' };
  if (/secret names?/i.test(said)) return { kind: 'name', advice: 'change secret_name_template' };
  if (/maximum number|limit of \d|too many/i.test(said)) return { kind: 'quota', advice: 'remove secrets there first' };
  return invalid;
}

/** The `message` of an error body. Other bodies are not repeated: they may be pages of a proxy. */
export function hostMessage(data: unknown): string {
  if (typeof data !== 'object' || data === null || !('message' in data)) return '';
  return typeof data.message === 'string' ? data.message : '';
}
