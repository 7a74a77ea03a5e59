import { AppError, badRequest } from '#core/errors.ts';
import { failure, status } from '../server/failure.ts';
import { createDeadline, Ending, type Within } from '../wire/connection/connection.ts';
import type { Incoming, Outgoing, Pipeline } from '../wire/exchange.ts';
import { compileEngines, systemMount } from './engines.ts';
import { envelope } from './envelope.ts';
import { Exchange, type Outcome } from './exchange.ts';
import type { V1Parts } from './parts.ts';
import {
  type Address,
  aliasedHeader,
  cleaned,
  pathIfSound,
  readAddress,
  urlOf,
  vocabularyOf,
} from './request/address.ts';
import { type ParsedHead, readHead } from './request/request.ts';
import { planStages, runAfter, runBefore, type StagePlan } from './stage.ts';
import { auditStages } from './stages/audit-stage.ts';
import { ownStages } from './stages/own-stages.ts';
import { receiveLarge, receiveSmall } from './stages/receive.ts';

export function createPipeline(parts: V1Parts): Pipeline {
  const own = ownStages(parts, compileEngines(parts.engines));
  // The audit stages come last, so that they record what the other stages refuse or change.
  const stages = [...own, ...parts.stages, ...auditStages(parts.auditor)];
  const kit = { parts, plan: planStages(stages), within: createDeadline(parts.requestTimeoutMs) };
  return async (incoming) => {
    try {
      return withNamespace(incoming, await respond(kit, incoming));
    } catch (error) {
      const { log, typeNames } = parts;
      const vocabulary = vocabularyOf(typeNames, incoming.headers, pathIfSound(incoming.url));
      return withNamespace(incoming, failure(error, { requestId: incoming.requestId, vocabulary, typeNames, log }));
    }
  };
}

interface Kit {
  readonly parts: V1Parts;
  readonly plan: StagePlan;
  readonly within: Within;
}

/**
 * A malformed request is refused before the first stage. The order of the checks is part of the API: whether the service is
 * sealed is checked only after that, and the 403 of a caller without permission does not reveal what exists. A large body is the
 * exception: it is read after all checks that do not need it.
 */
async function respond(kit: Kit, incoming: Incoming): Promise<Outgoing> {
  const address = readAddress(incoming.url); //                            400
  const redirect = redirectToCleanPath(incoming, address); //              301, 400
  if (redirect !== undefined) return redirect;
  const asked = readHead(kit.parts.typeNames, incoming, address); // 400, 405, 415
  mustBeWrappable(kit, asked); //                                          400
  const exchange = new Exchange(incoming, asked, new Ending(incoming.onClose));
  const isWhole = await receiveSmall(kit.parts, exchange); //              400, 413, 503
  const outcome = await runStages(kit, exchange, isWhole);
  const concerns = kit.plan.after.some((stage) => stage.concerns?.(exchange) ?? true);
  return answerOf(exchange, concerns ? await conclude(kit, exchange, outcome) : outcome);
}

async function runStages(kit: Kit, exchange: Exchange, isWhole: boolean): Promise<Outcome> {
  const { parts, plan, within } = kit;
  const expire = () => exchange.ending.end();
  try {
    if (isWhole) await within(runBefore(plan.whole, exchange), expire);
    else {
      await within(runBefore(plan.admission, exchange), expire);
      await receiveLarge(parts, exchange); //                              400, 413, 503
      await within(runBefore(plan.answering, exchange), expire);
    }
    return { reply: exchange.reply };
  } catch (error) {
    if (isRefused(error)) await equaliseTiming(kit, exchange);
    return { error };
  }
}

const isRefused = (error: unknown): boolean => error instanceof AppError && error.kind === 'permission-denied';

/** A refused caller must not learn from the response time whether a mount holds the path. */
async function equaliseTiming({ parts, within }: Kit, { always, target }: Exchange): Promise<void> {
  if (always !== undefined || target === undefined) return;
  await within(parts.mounts.askStore(), () => {}).catch(() => {});
}

/** The later stages have their own time limit, because they must also see requests that timed out. */
function conclude({ plan, within }: Kit, exchange: Exchange, outcome: Outcome): Promise<Outcome> {
  return within(runAfter(plan.after, exchange, outcome), () => exchange.ending.end());
}

/** @throws what was thrown */
function answerOf({ incoming, asked, context, parsed, headers }: Exchange, outcome: Outcome): Outgoing {
  if ('error' in outcome) throw outcome.error;
  const { reply } = outcome;
  const { warnings: own = [], mount = systemMount } = context ?? {};
  const warnings =
    parsed?.ok === true ? [...parsed.ignored, ...(reply === undefined ? [] : parsed.warnings), ...own] : own;
  const answer = envelope(reply, { requestId: incoming.requestId, verb: asked.verb, mount, warnings });
  return headers === undefined ? answer : { ...answer, headers: { ...answer.headers, ...headers } };
}

/** Redirects a path with empty or `.` segments. A write is refused instead, because clients would repeat it as a read. */
function redirectToCleanPath(incoming: Incoming, { path, query }: Address): Outgoing | undefined {
  const clean = cleaned(path);
  if (clean === undefined) return undefined;
  const isReading = ['GET', 'HEAD', 'LIST', 'HELP'].includes(incoming.method);
  if (!isReading) throw badRequest('the path has empty or "." segments');
  return { status: status.movedPermanently, headers: { location: urlOf(clean, query) }, body: undefined };
}

/** A client that asks for a wrapped reply must not get the secret in plain text instead. */
function mustBeWrappable({ plan }: Kit, { wrapSeconds }: ParsedHead): void {
  if (wrapSeconds === undefined || plan.after.some(({ at }) => at === 'wrap')) return;
  throw badRequest('response wrapping is not supported');
}

/** Returns the namespace in a header of the same name as in the request. */
function withNamespace(incoming: Incoming, outgoing: Outgoing): Outgoing {
  const namespace = aliasedHeader(incoming.headers, 'namespace');
  if (namespace === undefined) return outgoing;
  return { ...outgoing, headers: { ...outgoing.headers, [namespace.name]: namespace.value } };
}
