import { AppError, badRequest } from '../../core/errors.ts';
import { createDeadline, Ending, type Within } from '../wire/connection/connection.ts';
import type { Incoming, Outgoing } from '../wire/exchange.ts';
import { compileEngines, systemMount } from './engines.ts';
import type { HttpParts } from './parts.ts';
import { envelope } from './reply/envelope.ts';
import { failure } from './reply/failure.ts';
import { status } from './reply/status.ts';
import {
  type Address,
  aliasedHeader,
  cleaned,
  pathIfSound,
  readAddress,
  urlOf,
  vocabularyOf,
} from './request/address.ts';
import { type AskedHead, readHead } from './request/request.ts';
import { auditStages } from './stages/audit-stage.ts';
import { ownStages } from './stages/own-stages.ts';
import { receiveLarge, receiveSmall } from './stages/receive.ts';
import { Exchange, type Outcome, planStages, runAfter, runBefore, type StagePlan } from './stages/stages.ts';

/** Answers a request. It never rejects: what goes wrong becomes an answer. */
export type Pipeline = (incoming: Incoming) => Promise<Outgoing>;

export function createPipeline(parts: HttpParts): Pipeline {
  const own = ownStages(parts, compileEngines(parts.engines));
  // The others come first: what they refuse or make of a reply is recorded as well.
  const stages = [...own, ...(parts.stages ?? []), ...auditStages(parts.auditor)];
  const kit = { parts, plan: planStages(stages), within: createDeadline(parts.requestTimeoutMs) };
  return async (incoming) => {
    try {
      return named(incoming, await respond(kit, incoming));
    } catch (error) {
      const vocabulary = vocabularyOf(incoming.headers, pathIfSound(incoming.url));
      return named(incoming, failure(error, { requestId: incoming.requestId, vocabulary, log: parts.log }));
    }
  };
}

interface Kit {
  readonly parts: HttpParts;
  readonly plan: StagePlan;
  readonly within: Within;
}

/**
 * A request that cannot be read is refused before it comes to the first stage. The order of the checks is part of the API:
 * nobody asks before that whether the service is sealed, and a caller without permission learns by its 403 nothing of what is
 * there. A large body is the exception: it is read when all is known that can be known without it.
 */
async function respond(kit: Kit, incoming: Incoming): Promise<Outgoing> {
  const address = readAddress(incoming.url); //                            400
  const elsewhere = toCleanPath(incoming, address); //                     301, 400
  if (elsewhere !== undefined) return elsewhere;
  const asked = readHead(incoming, address); //                            400, 405, 415
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
    if (isRefused(error)) await askAsForUnknown(kit, exchange);
    return { error };
  }
}

const isRefused = (error: unknown): boolean => error instanceof AppError && error.kind === 'permission-denied';

/** A caller that is refused must not learn by the time whether a mount holds the path. */
async function askAsForUnknown({ parts, within }: Kit, { always, target }: Exchange): Promise<void> {
  if (always !== undefined || target === undefined) return;
  await within(parts.mounts.askStore(), () => {}).catch(() => {});
}

/** The later stages have their own time: they have to see what ran out of it. */
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

/** A path with empty or `.` segments is somewhere else. A redirected write would arrive as a read, so it is refused. */
function toCleanPath(incoming: Incoming, { path, query }: Address): Outgoing | undefined {
  const clean = cleaned(path);
  if (clean === undefined) return undefined;
  const looks = ['GET', 'HEAD', 'LIST', 'HELP'].includes(incoming.method);
  if (!looks) throw badRequest('the path has empty or "." segments');
  return { status: status.movedPermanently, headers: { location: urlOf(clean, query) }, body: undefined };
}

/** Who asks for a wrapped reply must not get the secret in the clear instead. */
function mustBeWrappable({ plan }: Kit, { wrapSeconds }: AskedHead): void {
  if (wrapSeconds === undefined || plan.after.some(({ at }) => at === 'wrap')) return;
  throw badRequest('response wrapping is not supported');
}

/** The namespace goes back under the name it came by. */
function named(incoming: Incoming, outgoing: Outgoing): Outgoing {
  const namespace = aliasedHeader(incoming.headers, 'namespace');
  if (namespace === undefined) return outgoing;
  return { ...outgoing, headers: { ...outgoing.headers, [namespace.name]: namespace.value } };
}
