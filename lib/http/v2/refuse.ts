import { AppError, type ErrorKind } from '#core/errors.ts';
import { type Problem, ProblemError } from '#path/jsonapi/error.ts';
import { methodTypeNames } from '#path/vocabulary.ts';
import { failure } from '../server/failure.ts';
import type { Outgoing } from '../wire/exchange.ts';
import { mediaType } from './document.ts';
import type { ApiParts } from './parts.ts';

/** An error reply of the pipeline itself. */
export class Refused extends ProblemError {
  readonly headers: Readonly<Record<string, string>>;
  /** Refused before its row could run or be recorded: a flood of such requests must not fill the audit log. */
  readonly atTheDoor: boolean;

  constructor(
    status: number,
    problem: Problem,
    { headers = {}, atTheDoor = false }: { readonly headers?: Refused['headers']; readonly atTheDoor?: boolean } = {},
  ) {
    super(status, problem);
    this.headers = headers;
    this.atTheDoor = atTheDoor;
  }
}

export const unauthorized = (): Refused => new Refused(401, { title: 'unauthorized' });
export const wrongMedia = (): Refused =>
  new Refused(415, { title: 'invalid content type', detail: `content-type must be ${mediaType}` });
export const tooMany = (headers: Readonly<Record<string, string>>): Refused =>
  new Refused(
    429,
    { title: 'Too many requests', detail: "You have exceeded the API's rate limit." },
    { headers: { ...headers, 'retry-after': '1' }, atTheDoor: true },
  );
/** Sealed, or not initialised yet. */
export const notServing = (): Refused =>
  new Refused(
    503,
    { title: 'service unavailable', detail: 'the service is sealed or not initialized' },
    { atTheDoor: true },
  );

/** Titles for errors of the shared rooms that handlers may throw. */
const titles: Readonly<Partial<Record<ErrorKind, string>>> = {
  'bad-request': 'bad request',
  'already-exists': 'conflict',
  conflict: 'conflict',
  'permission-denied': 'forbidden',
  'not-found': 'not found',
  'too-large': 'payload too large',
  sealed: 'service unavailable',
  unavailable: 'service unavailable',
  upstream: 'bad gateway',
  internal: 'internal server error',
};

/** The reply to a thrown error. The name and the stack frames of an internal error are only logged. */
export function refusalOf(error: unknown, requestId: string, { log }: Pick<ApiParts, 'log'>): Outgoing {
  if (error instanceof Refused) return { ...errorsOf(error.status, error.problems), headers: error.headers };
  if (error instanceof ProblemError) return errorsOf(error.status, error.problems);
  const { status, headers } = failure(error, { requestId, vocabulary: 'canonical', typeNames: methodTypeNames, log });
  const kind = error instanceof AppError ? error.kind : 'internal';
  const detail = error instanceof AppError && kind !== 'internal' ? error.messages.join('\n') : '';
  const problem = { title: titles[kind] ?? 'error', ...(detail === '' ? {} : { detail }) };
  return { ...errorsOf(status, [problem]), ...(headers === undefined ? {} : { headers }) };
}

function errorsOf(status: number, problems: readonly Problem[]): Outgoing {
  const errors = problems.map(({ title, detail, pointer }) => ({
    status: String(status),
    title,
    ...(detail === undefined ? {} : { detail }),
    ...(pointer === undefined ? {} : { source: { pointer } }),
  }));
  return { status, contentType: mediaType, body: JSON.stringify({ errors }) };
}
