import { AppError, badRequest } from '../../../core/errors.ts';
import type { Parsed } from '../../../path/parse.ts';
import type { Reply } from '../../../path/row.ts';
import type { CompiledOperation } from '../../../path/table.ts';
import type { Incoming } from '../../wire/exchange.ts';
import { noRoute, UnsupportedOperation, UnsupportedPath } from '../../wire/refusals.ts';
import { type Engines, findTarget, systemMount, type Target } from '../engines.ts';
import type { HttpParts } from '../parts.ts';
import { allowOf } from '../reply/allow.ts';
import { Context } from '../request/context.ts';
import type { AskedHead } from '../request/request.ts';
import { authoriseHelp, helpReply } from './help.ts';
import { authorise, identify } from './permission.ts';
import type { Exchange, StageBefore } from './stages.ts';

/** What the pipeline does itself at its stages. The numbers are the statuses of refusals. */
export const ownStages = (parts: HttpParts, engines: Engines): readonly StageBefore[] => [
  { at: 'address', before: (exchange) => address(parts, engines, exchange) }, //           400, 503
  { at: 'authenticate', before: (exchange) => authenticate(parts, engines, exchange) }, // 403
  { at: 'authorise', before: (exchange) => authoriseEither(parts, exchange) }, //          403
  { at: 'run', before: (exchange) => run(exchange) }, //                                   400, 404, 405
];

async function address(parts: HttpParts, engines: Engines, exchange: Exchange): Promise<void> {
  const { asked } = exchange;
  exchange.always = asked.help ? undefined : engines.whileSealed(asked.path, asked.verb);
  if (exchange.always === undefined) mustBeReady(parts);
  mustNotWriteToFolder(asked);
  await aim(parts, engines, exchange);
}

async function authenticate(parts: HttpParts, engines: Engines, exchange: Exchange): Promise<void> {
  const { asked, incoming, ending } = exchange;
  exchange.caller = await identify(parts, exchange, exchange.target);
  // The look-up of the token has shown whether our copy of the mount table is old.
  await aim(parts, engines, exchange);
  const { mount = systemMount, path = asked.path } = exchange.target ?? {};
  const { caller } = exchange;
  exchange.context = new Context({ incoming, asked, mount, path, caller, gatekeeper: parts.gatekeeper, ending });
}

const authoriseEither = ({ gatekeeper }: HttpParts, exchange: Exchange): Promise<void> =>
  exchange.asked.help ? authoriseHelp(gatekeeper, exchange) : authorise(gatekeeper, exchange);

async function run(exchange: Exchange): Promise<void> {
  exchange.reply = exchange.asked.help ? helpReply(exchange) : await replyOf(exchange);
}

async function aim(parts: HttpParts, engines: Engines, exchange: Exchange): Promise<void> {
  exchange.target = await findTarget(parts.mounts, engines, exchange.asked, exchange.always);
  reportRoute(exchange.incoming, exchange.target);
}

/** The pattern, not the path: it holds no name. The type of the engine stands for its mount. */
function reportRoute({ onRoute }: Incoming, target: Target | undefined): void {
  if (target?.match !== undefined) onRoute?.(`${target.mount.type}/${target.match.row.pattern}`);
}

function mustBeReady(parts: HttpParts): void {
  if (parts.state() !== 'ready') throw new AppError('sealed', 'sealed');
}

function mustNotWriteToFolder({ verb, path }: AskedHead): void {
  if ((verb === 'write' || verb === 'patch') && path.endsWith('/')) {
    throw badRequest("cannot write to a path ending in '/'");
  }
}

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

function mustBeValid(parsed: Parsed | undefined): Extract<Parsed, { ok: true }> {
  if (parsed?.ok === true) return parsed;
  throw new AppError('bad-request', parsed?.problems ?? []);
}
