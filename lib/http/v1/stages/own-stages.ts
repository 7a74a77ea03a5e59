import { AppError, badRequest, invalid, permissionDenied } from '#core/errors.ts';
import { Unstorable } from '#core/json/unstorable.ts';
import { isRoot, isWithin } from '#core/namespace.ts';
import type { AnyReply } from '#path/contract/reply.ts';
import type { Verb } from '#path/contract/request.ts';
import type { Parsed } from '#path/input/parse.ts';
import type { CompiledOperation } from '#path/table.ts';
import { noRoute, UnsupportedOperation, UnsupportedPath } from '../../wire/refusals.ts';
import { type Engines, systemMount, type Target } from '../engines.ts';
import type { Exchange } from '../exchange.ts';
import type { V1Parts } from '../parts.ts';
import { Context } from '../request/context.ts';
import type { ParsedHead } from '../request/request.ts';
import type { StageBefore } from '../stage.ts';
import { authoriseHelp, helpReply } from './help.ts';
import { authorise, identify } from './permission.ts';
import { resolveTarget } from './resolve-target.ts';

/** The stages of the pipeline itself. The numbers are the statuses of their refusals. */
export const ownStages = (parts: V1Parts, engines: Engines): readonly StageBefore[] => [
  { at: 'address', before: (exchange) => address(parts, engines, exchange) }, //           400, 503
  { at: 'authenticate', before: (exchange) => authenticate(parts, engines, exchange) }, // 403
  { at: 'authorise', before: (exchange) => authoriseEither(parts, exchange) }, //          403
  { at: 'run', before: (exchange) => run(exchange) }, //                                   400, 404, 405
];

async function address(parts: V1Parts, engines: Engines, exchange: Exchange): Promise<void> {
  const { sent } = exchange;
  exchange.always = sent.help ? undefined : engines.whileSealed(sent.path, sent.verb);
  if (exchange.always === undefined) mustBeReady(parts);
  await resolveTarget(parts, engines, exchange);
  mustNotWriteToFolder(exchange.asked);
}

async function authenticate(parts: V1Parts, engines: Engines, exchange: Exchange): Promise<void> {
  const { incoming, ending } = exchange;
  exchange.caller = await identify(parts, exchange, exchange.target);
  // The look-up of the token has shown whether our copy of the mount table is old.
  if (exchange.caller === undefined && !isRoot(exchange.namespace)) await parts.namespaces.refresh();
  if (exchange.tableState === undefined || exchange.tableState !== parts.mounts.state())
    await resolveTarget(parts, engines, exchange);
  if (isForOwnNamespace(exchange)) await resolveTarget(parts, engines, exchange, exchange.caller?.namespace.path);
  const { asked, caller, namespace } = exchange;
  if (isElsewhere(exchange)) await mustReachInto(parts, exchange);
  const { mount = systemMount, path = asked.path } = exchange.target ?? {};
  const { gatekeeper } = parts;
  exchange.context = new Context({ incoming, asked, namespace, mount, path, caller, gatekeeper, ending });
}

/** A token of a namespace looks itself up, renews and revokes itself without naming the namespace. */
function isForOwnNamespace({ caller, sent, target, namespace }: Exchange): boolean {
  if (caller === undefined || !isRoot(namespace) || isRoot(caller.namespace) || sent.namespaceHeader !== '')
    return false;
  return !sent.help && target?.match?.operation?.marks.atOwnNamespace === true;
}

/** Whether the request is for a namespace that is neither that of the token nor below it. */
function isElsewhere({ asked, caller, namespace, target }: Exchange): boolean {
  const isOpen = !asked.help && target?.match?.operation?.marks.unauthenticated === true;
  return caller !== undefined && !isOpen && !isWithin(namespace, caller.namespace);
}

/** Elsewhere a token is valid where group policies grant access. @throws AppError `permission-denied` */
async function mustReachInto({ gatekeeper }: V1Parts, { caller, namespace }: Exchange): Promise<void> {
  if (caller !== undefined && !(await gatekeeper.mayEnter(caller, namespace))) throw permissionDenied();
}

const authoriseEither = (parts: V1Parts, exchange: Exchange): Promise<void> =>
  exchange.asked.help ? authoriseHelp(parts, exchange) : authorise(parts.gatekeeper, exchange);

async function run(exchange: Exchange): Promise<void> {
  exchange.reply = exchange.asked.help ? helpReply(exchange) : await replyOf(exchange);
}

function mustBeReady(parts: V1Parts): void {
  if (parts.state() !== 'ready') throw new AppError('sealed', 'sealed');
}

function mustNotWriteToFolder({ verb, path }: ParsedHead): void {
  if ((verb === 'write' || verb === 'patch') && path.endsWith('/')) {
    throw badRequest("cannot write to a path ending in '/'");
  }
}

/**
 * Runs the operation of an authorised request.
 *
 * @throws AppError `not-found`, `unsupported-path`, `unsupported-operation`, `bad-request`, and what the handler throws
 */
export async function replyOf({ asked, target, parsed, context }: Exchange): Promise<AnyReply> {
  const operation = mustBeKnown(asked, target);
  const { input } = mustBeValid(parsed);
  if (context === undefined) throw new AppError('internal', 'the handler was called without a context');
  try {
    return await operation.run(input, context);
  } catch (error) {
    throw error instanceof Unstorable ? error.in(input) : error;
  }
}

function mustBeKnown(asked: ParsedHead, target: Target | undefined): CompiledOperation {
  if (target === undefined) throw noRoute(asked);
  const { match, engine } = target;
  const warning = engine.unsupportedPathWarning?.(asked.verb);
  if (match === undefined) throw new UnsupportedPath(warning);
  if (match.operation !== undefined) return match.operation;
  // Such an engine reports a folder that it cannot list as an unknown path.
  if (asked.verb === 'list' && warning !== undefined) throw new UnsupportedPath(warning);
  throw new UnsupportedOperation(allowOf(target), ['1 error occurred:\n\t* unsupported operation\n\n']);
}

function mustBeValid(parsed: Parsed | undefined): Extract<Parsed, { ok: true }> {
  if (parsed?.ok === true) return parsed;
  throw invalid(parsed?.problems ?? []);
}

/** The HTTP methods of each verb. */
const verbMethods: readonly (readonly [Verb, string])[] = [
  ['read', 'GET, HEAD'],
  ['list', 'LIST'],
  ['write', 'POST, PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
];

/** The `Allow` header of a path: the methods of all rows that match it (RFC 9110, 10.2.1). */
function allowOf({ engine, path }: Target): string {
  const plain = path.replace(/\/$/, '');
  const has = (verb: Verb) => engine.table.find(verb === 'list' ? `${plain}/` : plain, verb)?.operation !== undefined;
  return verbMethods.flatMap(([verb, name]) => (has(verb) ? [name] : [])).join(', ');
}
