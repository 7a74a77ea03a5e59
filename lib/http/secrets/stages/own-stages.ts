import { AppError, badRequest, permissionDenied } from '../../../core/errors.ts';
import { isRoot, isWithin } from '../../../core/namespace.ts';
import type { Reply } from '../../../path/contract/reply.ts';
import type { Parsed } from '../../../path/input/parse.ts';
import type { CompiledOperation } from '../../../path/table.ts';
import { noRoute, UnsupportedOperation, UnsupportedPath } from '../../wire/refusals.ts';
import { type Engines, systemMount, type Target } from '../engines.ts';
import type { HttpParts } from '../parts.ts';
import { allowOf } from '../reply/allow.ts';
import { Context } from '../request/context.ts';
import type { AskedHead } from '../request/request.ts';
import { aim } from './aim.ts';
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
  const { sent } = exchange;
  exchange.always = sent.help ? undefined : engines.whileSealed(sent.path, sent.verb);
  if (exchange.always === undefined) mustBeReady(parts);
  await aim(parts, engines, exchange);
  mustNotWriteToFolder(exchange.asked);
}

async function authenticate(parts: HttpParts, engines: Engines, exchange: Exchange): Promise<void> {
  const { incoming, ending } = exchange;
  exchange.caller = await identify(parts, exchange, exchange.target);
  // The look-up of the token has shown whether our copy of the mount table is old.
  if (exchange.caller === undefined && !isRoot(exchange.namespace)) await parts.namespaces?.refresh();
  if (exchange.aimedBy === undefined || exchange.aimedBy !== parts.mounts.state?.())
    await aim(parts, engines, exchange);
  await toNamespaceOfCaller(parts, engines, exchange);
  const { asked, caller, namespace } = exchange;
  await mustBeOfNamespace(parts, exchange);
  const { mount = systemMount, path = asked.path } = exchange.target ?? {};
  const { gatekeeper } = parts;
  exchange.context = new Context({ incoming, asked, namespace, mount, path, caller, gatekeeper, ending });
}

/** A token of a namespace looks itself up, renews and revokes itself without naming the namespace. */
async function toNamespaceOfCaller(parts: HttpParts, engines: Engines, exchange: Exchange): Promise<void> {
  const { caller, sent, target, namespace } = exchange;
  if (caller === undefined || !isRoot(namespace) || isRoot(caller.namespace) || sent.namespaceHeader !== '') return;
  if (!sent.help && target?.match?.operation?.marks.atOwnNamespace === true)
    await aim(parts, engines, exchange, caller.namespace.path);
}

/** A token is good in its namespace and below, and where policies of groups reach. @throws AppError `permission-denied` */
async function mustBeOfNamespace({ gatekeeper }: HttpParts, exchange: Exchange): Promise<void> {
  const { asked, caller, namespace, target } = exchange;
  const isOpen = !asked.help && target?.match?.operation?.marks.unauthenticated === true;
  if (caller === undefined || isOpen || isWithin(namespace, caller.namespace)) return;
  if (!(await gatekeeper.mayEnter(caller, namespace))) throw permissionDenied();
}

const authoriseEither = ({ gatekeeper }: HttpParts, exchange: Exchange): Promise<void> =>
  exchange.asked.help ? authoriseHelp(gatekeeper, exchange) : authorise(gatekeeper, exchange);

async function run(exchange: Exchange): Promise<void> {
  exchange.reply = exchange.asked.help ? helpReply(exchange) : await replyOf(exchange);
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
