import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, upstreamFailed } from '#core/errors.ts';
import { errorLocation } from '#core/log/stack.ts';
import { DestinationFailure } from '#destinations/contract.ts';
import type { Answer, Gate, GatePass } from '#queue/contract.ts';
import { accountFor } from '../drivers/accounts.ts';
import type { Destination } from '../drivers/drivers.ts';
import { mustBeEnabled } from './ask.ts';
import { check } from './check/check.ts';
import { foreignFor } from './foreign/foreign.ts';
import type { Tally } from './pace.ts';
import { type PlanParts, planFor } from './plan/plan.ts';
import {
  type CheckAsked,
  type ForeignAsked,
  failedReply,
  openQuestion,
  type PlanAsked,
  type Question,
  type Reply,
  sealReply,
} from './question.ts';

export interface AnswerParts extends PlanParts {
  readonly gate: Gate;
}

/** How long an answer may take, in milliseconds, and how much of it may be spent at the gate. */
const answerMsMax = 10_000;
const gateMsMax = 3_000;

/** Answers the questions to workers of one type. Each gets a driver of its own, so that the check shows each step of a login. */
export function answerer(destination: Destination, parts: AnswerParts): Answer {
  return async (id, text, signal) => {
    const ends = AbortSignal.any([signal, AbortSignal.timeout(answerMsMax)]);
    return sealReply(parts.store, id, await replyTo(destination, parts, openQuestion(parts.store, id, text), ends));
  };
}

async function replyTo(destination: Destination, parts: AnswerParts, question: Question, signal: AbortSignal) {
  try {
    await mustBeEnabled(parts.store);
    return await throughGate(destination, parts, question, signal);
  } catch (cause) {
    if (!(cause instanceof AppError))
      parts.log.error({ ...errorLocation(cause) }, `a ${question.kind} failed unexpectedly`);
    return failedReply(cause);
  }
}

/**
 * The calls of an answer count for the account like those of pushes. They have a gate of their own beside that of the destination: an open
 * circuit is when a check is needed most.
 */
async function throughGate(
  destination: Destination,
  parts: AnswerParts,
  question: Question,
  signal: AbortSignal,
): Promise<Reply> {
  const account = accountFor(destination.definition, parts.store, question);
  const pass = await enter(parts.gate, destination, account, signal);
  const tally = { calls: 0 };
  let isAnswered = false;
  try {
    const reply = await answeredBy(destination, parts, question, tally, signal);
    isAnswered = true;
    return reply;
  } finally {
    // A failure may come from a call that was not counted, such as a login.
    await pass.leave('well', undefined, isAnswered ? tally.calls : Math.max(1, tally.calls));
  }
}

function answeredBy(
  destination: Destination,
  parts: AnswerParts,
  question: Question,
  tally: Tally,
  signal: AbortSignal,
): Promise<Reply> {
  if (question.kind === 'check') return checked(destination, parts, question, tally, signal);
  if (question.kind === 'plan') return planned(destination, parts, question, tally, signal);
  return listed(destination, parts, question, tally, signal);
}

async function checked(
  destination: Destination,
  parts: AnswerParts,
  question: CheckAsked,
  tally: Tally,
  signal: AbortSignal,
): Promise<Reply> {
  const { report, calls } = await check(destination, parts, question, signal);
  tally.calls += calls;
  return { report };
}

/** @throws AppError `upstream` when the destination cannot be looked at */
async function planned(
  destination: Destination,
  parts: AnswerParts,
  question: PlanAsked,
  tally: Tally,
  signal: AbortSignal,
): Promise<Reply> {
  const { planned, done } = await planFor(destination, parts, question, tally, signal).catch(asUpstream('look at'));
  return { planned: [...planned], done };
}

/** @throws AppError `upstream` when the destination cannot be listed */
async function listed(
  destination: Destination,
  parts: AnswerParts,
  question: ForeignAsked,
  tally: Tally,
  signal: AbortSignal,
): Promise<Reply> {
  const answer = await foreignFor(destination, parts, question, tally, signal).catch(asUpstream('list'));
  const { foreign, listed, next } = answer;
  return { foreign: [...foreign], listed, ...(next && { next }) };
}

const asUpstream = (verb: string) => (cause: unknown) => {
  if (cause instanceof DestinationFailure) throw upstreamFailed(`cannot ${verb} the destination: ${cause.message}`);
  throw cause;
};

async function enter(gate: Gate, { definition }: Destination, account: string, signal: AbortSignal) {
  const budget = { ...definition.rate, concurrencyMax: 2, passMs: answerMsMax * 2 };
  const request = () => gate.enter(`check:${account}`, budget, account);
  const first = await request();
  const pass: GatePass =
    first.admitted || first.waitMs > gateMsMax ? first : await sleep(first.waitMs, undefined, { signal }).then(request);
  if (pass.admitted) return pass;
  const seconds = Math.ceil(pass.waitMs / 1_000);
  throw new AppError('unavailable', `the rate of this account is used up: try again in ${seconds} s`);
}
