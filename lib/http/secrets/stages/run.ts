import { AppError, notFound } from '../../../core/errors.ts';
import type { Parsed } from '../../../path/parse.ts';
import type { Reply } from '../../../path/row.ts';
import type { CompiledOperation } from '../../../path/table.ts';
import { UnsupportedOperation, UnsupportedPath } from '../../wire/refusals.ts';
import { allowOf } from '../reply/allow.ts';
import type { AskedHead } from '../request/request.ts';
import type { Target } from '../target.ts';
import type { Exchange } from './exchange.ts';

/**
 * Runs the operation of a request that may.
 *
 * @throws AppError `not-found`, `unsupported-path`, `unsupported-operation`, `bad-request`, and what the handler throws
 */
export async function replyOf({ asked, target, parsed, context }: Exchange): Promise<Reply> {
  const operation = mustBeKnown(asked, target);
  const { input } = mustBeValid(parsed);
  if (context === undefined) throw new AppError('internal', 'a request came to its handler without a context');
  return operation.run(input, context);
}

function mustBeKnown(asked: AskedHead, target: Target | undefined): CompiledOperation {
  if (target === undefined) throw noRoute(asked);
  const { match, engine } = target;
  const warning = engine.unsupportedPathWarning?.(asked.verb);
  if (match === undefined) throw new UnsupportedPath(warning);
  if (match.operation !== undefined) return match.operation;
  // To such an engine a folder of another path than its listings is no path at all.
  if (asked.verb === 'list' && warning !== undefined) throw new UnsupportedPath(warning);
  throw new UnsupportedOperation(allowOf(target), ['1 error occurred:\n\t* unsupported operation\n\n']);
}

export const noRoute = (asked: AskedHead): AppError =>
  notFound([`no handler for route "${asked.path}". route entry not found.`]);

function mustBeValid(parsed: Parsed | undefined): Extract<Parsed, { ok: true }> {
  if (parsed?.ok === true) return parsed;
  throw new AppError('bad-request', parsed?.problems ?? []);
}
