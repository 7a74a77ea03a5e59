import { AppError, TooManyRequests } from '../../../core/errors.ts';
import { framesOf } from '../../../core/log/stack.ts';
import type { Log } from '../../../core/log.ts';
import type { Vocabulary } from '../../../path/contract/request.ts';
import { sealedText, wordName } from '../../../path/vocabulary.ts';
import type { Outgoing } from '../../wire/exchange.ts';
import { Busy, UnsupportedOperation, UnsupportedPath } from '../../wire/refusals.ts';
import { statusOf } from './status.ts';

/**
 * The answer to whatever was thrown. Only an `AppError` has texts for the caller. Of any other error not even the log
 * gets the message, since messages of parsers and drivers quote values: it gets the name, the code and the frames.
 */
export function failure(
  error: unknown,
  about: { readonly requestId: string; readonly vocabulary: Vocabulary; readonly log: Log },
): Outgoing {
  if (!(error instanceof AppError)) return unexpected(error, about);
  if (error.kind === 'internal') about.log.error({ request_id: about.requestId, ...traceOf(error) }, error.message);
  const answer = { status: statusOf(error.kind), body: JSON.stringify(bodyOf(error, about.vocabulary)) };
  const headers = headersOf(error);
  return headers === undefined ? answer : { ...answer, headers };
}

/** Most outages are short, and clients that are told a time come back by themselves. */
const retryAfterSeconds = 1;

function headersOf(error: AppError): Outgoing['headers'] {
  if (error instanceof UnsupportedOperation) return { allow: error.allow };
  if (error instanceof TooManyRequests) return { ...error.headers, 'retry-after': String(error.retryAfterSeconds) };
  if (error instanceof Busy) return { 'retry-after': String(error.retryAfterSeconds) };
  return error.kind === 'unavailable' ? { 'retry-after': String(retryAfterSeconds) } : undefined;
}

function bodyOf(error: AppError, vocabulary: Vocabulary): object {
  if (error.kind === 'sealed') return { errors: [sealedText(vocabulary)] };
  const warning = error instanceof UnsupportedPath ? error.warning : undefined;
  return { errors: texts(error, vocabulary), ...(warning === undefined ? {} : { warnings: [warning] }) };
}

/** Texts may quote what the caller sent, which may be as long as a request. */
const textsMax = 32;
const charactersMax = 2_000;

/** One text at most, a line for each: clients of the API family put the members of `errors` together without a gap. */
function texts(error: AppError, vocabulary: Vocabulary): readonly string[] {
  const lines = error
    .messagesIn((word) => wordName(word, vocabulary))
    .slice(0, textsMax)
    .map((text) => (text.length > charactersMax ? `${text.slice(0, charactersMax)} (cut off)` : text));
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
