import type { Gatekeeper } from '../../auth/contract.ts';
import { AppError, badRequest, notFound, permissionDenied } from '../../core/errors.ts';
import { helpOf } from '../../path/help.ts';
import type { Parsed } from '../../path/parse.ts';
import type { Caller } from '../../path/row.ts';
import type { CompiledOperation } from '../../path/table.ts';
import { createDeadline, type Within } from '../wire/deadline.ts';
import { Ending } from '../wire/ending.ts';
import type { Incoming, Outgoing } from '../wire/exchange.ts';
import { UnsupportedOperation, UnsupportedPath } from '../wire/refusals.ts';
import { type Address, cleaned, pathIfSound, readAddress, urlOf } from './address.ts';
import { allowOf } from './allow.ts';
import { Context } from './context.ts';
import { compileEngines, type Engines, systemMount } from './engines.ts';
import { envelope } from './envelope.ts';
import { failure } from './failure.ts';
import type { HttpParts } from './parts.ts';
import { authorise, identify } from './permission.ts';
import { type Admitted, receive } from './receive.ts';
import { type Asked, type AskedHead, readHead } from './request.ts';
import { status } from './status.ts';
import { findTarget, type Target } from './target.ts';
import { aliasedHeader, vocabularyOf } from './vocabulary.ts';

/** Answers a request. It never rejects: what goes wrong becomes an answer. */
export type Pipeline = (incoming: Incoming) => Promise<Outgoing>;

export function createPipeline(parts: HttpParts): Pipeline {
  const kit = { parts, engines: compileEngines(parts.engines), within: createDeadline(parts.requestTimeoutMs) };
  return async (incoming) => {
    const ending = new Ending(incoming.onClose);
    try {
      return named(incoming, await respond(kit, incoming, ending));
    } catch (error) {
      const vocabulary = vocabularyOf(incoming.headers, pathIfSound(incoming.url));
      return named(incoming, failure(error, { requestId: incoming.requestId, vocabulary, log: parts.log }));
    }
  };
}

interface Kit {
  readonly parts: HttpParts;
  readonly engines: Engines;
  readonly within: Within;
}

/**
 * The order of the checks. It is part of the API: a request that cannot be read is refused before anybody asks whether
 * the service is sealed, and a caller without permission learns by its 403 nothing of what is there. A large body is the
 * exception: it is read when all is known that can be known without it.
 */
async function respond(kit: Kit, incoming: Incoming, ending: Ending): Promise<Outgoing> {
  const { parts, within } = kit;
  const expire = () => ending.end();
  const address = readAddress(incoming.url); //                            400
  const elsewhere = toCleanPath(incoming, address); //                     301, 400
  if (elsewhere !== undefined) return elsewhere;
  const head = readHead(incoming, address); //                             400, 405, 415
  const admission = () => within(admit(kit, incoming, head), expire);
  const { data, admitted } = await receive(parts, incoming, head, admission); // 400, 413, 503
  return within(answer(kit, incoming, { ...head, data }, admitted, ending), expire);
}

/** Who asks, and for what. */
async function admit({ parts, engines }: Kit, incoming: Incoming, head: AskedHead): Promise<Admitted> {
  const always = head.help ? undefined : engines.whileSealed(head.path, head.verb);
  if (always === undefined) mustBeReady(parts); //                         503
  mustNotWriteToFolder(head); //                                           400
  const first = await findTarget(parts.mounts, engines, head, always);
  tellRoute(incoming, first);
  const caller = await identify(parts, head, first); //                    403
  // Asking for the token has told whether our copy of the mount table is old.
  const target = await findTarget(parts.mounts, engines, head, always);
  tellRoute(incoming, target);
  return { caller, target };
}

async function answer(
  kit: Kit,
  incoming: Incoming,
  asked: Asked,
  admitted: Admitted | undefined,
  ending: Ending,
): Promise<Outgoing> {
  const { gatekeeper } = kit.parts;
  const { caller, target } = admitted ?? (await admit(kit, incoming, asked));
  if (asked.help) return help(gatekeeper, caller, asked, target); //       403, 404
  const { mount = systemMount, path = asked.path } = target ?? {};
  const context = new Context({ incoming, asked, mount, path, caller, gatekeeper, ending });
  const parsed = target?.match?.operation?.read({ parameters: target.match.parameters, data: asked.data });
  await authorise(gatekeeper, asked, target, parsed, context); //          403
  const operation = mustBeKnown(asked, target); //                         404, 405
  const { input, warnings } = mustBeValid(parsed); //                      400
  const reply = await operation.run(input, context);
  const told = reply === undefined ? context.warnings : [...warnings, ...context.warnings];
  return envelope(reply, { requestId: incoming.requestId, verb: asked.verb, mount, warnings: told });
}

/** The pattern, not the path: it holds no name. The type of the engine stands for its mount. */
function tellRoute({ onRoute }: Incoming, target: Target | undefined): void {
  if (target?.match !== undefined) onRoute?.(`${target.mount.type}/${target.match.row.pattern}`);
}

/** A path with empty or `.` segments is somewhere else. A redirected write would arrive as a read, so it is refused. */
function toCleanPath(incoming: Incoming, { path, query }: Address): Outgoing | undefined {
  const clean = cleaned(path);
  if (clean === undefined) return undefined;
  const looks = ['GET', 'HEAD', 'LIST', 'HELP'].includes(incoming.method);
  if (!looks) throw badRequest('the path has empty or "." segments');
  return { status: status.movedPermanently, headers: { location: urlOf(clean, query) }, body: undefined };
}

function mustBeReady(parts: HttpParts): void {
  if (parts.state() !== 'ready') throw new AppError('sealed', 'sealed');
}

function mustNotWriteToFolder({ verb, path }: AskedHead): void {
  if ((verb === 'write' || verb === 'patch') && path.endsWith('/')) {
    throw badRequest("cannot write to a path ending in '/'");
  }
}

/** Any valid token may read the help; whether an unknown path is there is told to those who could read it. */
async function help(
  gatekeeper: Gatekeeper,
  caller: Caller | undefined,
  asked: Asked,
  target: Target | undefined,
): Promise<Outgoing> {
  const at = asked.path.replace(/\/$/, '');
  const body = target && helpOf(target.engine.table.rows, target.path, at, asked.vocabulary);
  if (body !== undefined) return { status: status.ok, body: JSON.stringify(body) };
  const need = { capability: 'read', path: asked.path, sudo: false, parameters: {}, wrapSeconds: undefined } as const;
  if (caller === undefined || !(await gatekeeper.authorise(caller, need)).allowed) throw permissionDenied();
  if (target === undefined) throw noRoute(asked);
  throw new UnsupportedPath(target.engine.unsupportedPathWarning?.(asked.verb));
}

function mustBeKnown(asked: Asked, target: Target | undefined): CompiledOperation {
  if (target === undefined) throw noRoute(asked);
  const { match, engine } = target;
  const warning = engine.unsupportedPathWarning?.(asked.verb);
  if (match === undefined) throw new UnsupportedPath(warning);
  if (match.operation !== undefined) return match.operation;
  // To such an engine a folder of another path than its listings is no path at all.
  if (asked.verb === 'list' && warning !== undefined) throw new UnsupportedPath(warning);
  throw new UnsupportedOperation(allowOf(target), ['1 error occurred:\n\t* unsupported operation\n\n']);
}

const noRoute = (asked: Asked): AppError => notFound([`no handler for route "${asked.path}". route entry not found.`]);

function mustBeValid(parsed: Parsed | undefined): Extract<Parsed, { ok: true }> {
  if (parsed?.ok === true) return parsed;
  throw new AppError('bad-request', parsed?.problems ?? []);
}

/** The namespace goes back under the name it came by. */
function named(incoming: Incoming, outgoing: Outgoing): Outgoing {
  const namespace = aliasedHeader(incoming.headers, 'namespace');
  if (namespace === undefined) return outgoing;
  return { ...outgoing, headers: { ...outgoing.headers, [namespace.name]: namespace.value } };
}
