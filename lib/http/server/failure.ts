import { AppError, type ErrorKind, TooManyRequests } from '#core/errors.ts';
import type { Log } from '#core/log/log.ts';
import { framesOf } from '#core/log/stack.ts';
import type { FieldProblem, Word } from '#core/problem.ts';
import type { Vocabulary } from '#path/contract/request.ts';
import { sealedText, type TypeNames, wordName } from '#path/vocabulary.ts';
import type { Outgoing } from '../wire/exchange.ts';
import { Busy, UnsupportedOperation, UnsupportedPath } from '../wire/refusals.ts';

/** The request that failed. */
interface About {
  readonly requestId: string;
  readonly vocabulary: Vocabulary;
  readonly typeNames: TypeNames;
  readonly log: Log;
}

/**
 * The answer to a thrown error. Only an `AppError` has texts for the caller. Messages of parsers and drivers may quote values,
 * so of any other error the log gets the name, the code and the frames, but not the message.
 */
export function failure(error: unknown, about: About): Outgoing {
  if (!(error instanceof AppError)) return unexpected(error, about);
  if (error.kind === 'internal') about.log.error({ request_id: about.requestId, ...traceOf(error) }, error.message);
  const answer = { status: statusOf(error.kind), body: JSON.stringify(bodyOf(error, about)) };
  const headers = headersOf(error);
  return headers === undefined ? answer : { ...answer, headers };
}

/** Most outages are short, and clients retry on their own when they are given a time. */
const retryAfterSeconds = 1;

function headersOf(error: AppError): Outgoing['headers'] {
  if (error instanceof UnsupportedOperation) return { allow: error.allow };
  if (error instanceof TooManyRequests) return { ...error.headers, 'retry-after': String(error.retryAfterSeconds) };
  if (error instanceof Busy) return { 'retry-after': String(error.retryAfterSeconds) };
  return error.kind === 'unavailable' ? { 'retry-after': String(retryAfterSeconds) } : undefined;
}

function bodyOf(error: AppError, about: About): object {
  if (error.kind === 'sealed') return { errors: [sealedText(about.vocabulary)] };
  const warning = error instanceof UnsupportedPath ? error.warning : undefined;
  const problems = problemsOf(error, about);
  return {
    errors: texts(error, about),
    ...(problems.length > 0 && { problems }),
    ...(warning === undefined ? {} : { warnings: [warning] }),
  };
}

/** Bounds, since texts may quote the caller's input, which can be as long as a request. */
const textsMax = 32;
const charactersMax = 2_000;

const inWordsOf =
  ({ typeNames, vocabulary }: About): Word =>
  (word) =>
    wordName(typeNames, word, vocabulary);

const cutOff = (text: string): string =>
  text.length > charactersMax ? `${text.slice(0, charactersMax)} (cut off)` : text;

/** What has to change, by field: a client need not search the texts for the names of fields. */
const problemsOf = (error: AppError, about: About): readonly FieldProblem[] =>
  error
    .problemsIn(inWordsOf(about))
    .slice(0, textsMax)
    .map(({ field, message }) => ({ field, message: cutOff(message) }));

/** Joins several texts into one, by lines: clients of the API family concatenate the members of `errors` without a gap. */
function texts(error: AppError, about: About): readonly string[] {
  const lines = error.messagesIn(inWordsOf(about)).slice(0, textsMax).map(cutOff);
  return lines.length > 1 ? [lines.join('\n')] : lines;
}

function unexpected(error: unknown, about: { readonly requestId: string; readonly log: Log }): Outgoing {
  about.log.error({ request_id: about.requestId, ...traceOf(error) }, 'a request failed unexpectedly');
  return { status: statusOf('internal'), body: JSON.stringify({ errors: ['internal error'] }) };
}

function traceOf(error: unknown): object {
  if (!(error instanceof Error)) return { thrown: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const frames = framesOf(error);
  return { error: error.name, ...code, frames, ...(error.cause === undefined ? {} : { cause: traceOf(error.cause) }) };
}

/** The HTTP status of each kind of error. Only this file knows the numbers. */
const statuses = {
  'bad-request': 400,
  'already-exists': 400,
  conflict: 409,
  'permission-denied': 403,
  'not-found': 404,
  'unsupported-path': 404,
  'unsupported-operation': 405,
  'too-large': 413,
  'unsupported-media': 415,
  'too-many-requests': 429,
  sealed: 503,
  unavailable: 503,
  upstream: 502,
  internal: 500,
} as const satisfies Record<ErrorKind, number>;

const statusOf = (kind: ErrorKind): number => statuses[kind];

/** Statuses of answers other than a handler's errors. */
export const status = { ok: 200, noContent: 204, movedPermanently: 301, notModified: 304, notFound: 404 } as const;
