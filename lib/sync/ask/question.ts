import { z } from 'zod';
import { AppError } from '#core/errors.ts';
import { problemOf } from '#core/problem.ts';
import type { Store } from '#store/store.ts';
import { networkShape } from '../model/destination-network.ts';
import { plannedShape } from '../reconcile/plan/planned.ts';
import { reportShape } from './check/steps.ts';
import { foreignShape, placeShape } from './foreign/found.ts';

const kinds = ['bad-request', 'too-many-requests', 'sealed', 'unavailable', 'upstream', 'internal'] as const;

/** What the API asks a worker: the whole connection, because it may not be stored yet. */
const settings = {
  namespaceId: z.string(),
  connection: z.record(z.string(), z.unknown()),
  network: networkShape,
  /** An API of an earlier release sends none. */
  rateGroup: z.string().nullable().default(null),
};

export const questionShape = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('check'),
    ...settings,
    /** A name that no object has. */
    probe: z.string(),
  }),
  z.object({
    kind: z.literal('plan'),
    ...settings,
    destinationId: z.string(),
    /** Ids of associations, in order. */
    associations: z.array(z.string()),
    tags: z.record(z.string(), z.string()),
    adopt: z.boolean(),
    /** As if the associations were set again with these. */
    set: z.object({ granularity: z.enum(['secret-path', 'secret-key']), template: z.string() }).optional(),
  }),
  z.object({
    kind: z.literal('foreign'),
    ...settings,
    destinationId: z.string(),
    prefix: z.string(),
    limit: z.number(),
    from: placeShape,
  }),
]);

const replyShape = z.union([
  z.object({ report: reportShape }),
  z.object({ planned: z.array(plannedShape), done: z.number() }),
  z.object({ foreign: z.array(foreignShape), listed: z.number(), next: placeShape.optional() }),
  z.object({
    kind: z.enum(kinds),
    messages: z.array(z.string()),
    /** The messages by field, in canonical names. A worker of an earlier release sends none. */
    problems: z.array(z.object({ field: z.string(), message: z.string() })).default([]),
  }),
]);

export type Question = z.infer<typeof questionShape>;
export type Reply = z.infer<typeof replyShape>;
export type CheckAsked = Extract<Question, { kind: 'check' }>;
export type PlanAsked = Extract<Question, { kind: 'plan' }>;
export type ForeignAsked = Extract<Question, { kind: 'foreign' }>;

type Barrier = Pick<Store, 'barrier'>;

/**
 * Questions hold credentials, so they are encrypted on their way, and bound to their id: Redis holds no value, and a client
 * that can write to Redis cannot make a worker call an address.
 */
export const sealQuestion = ({ barrier }: Barrier, id: string, question: Question): string =>
  barrier.seal(JSON.stringify(question), `asks/${id}`).toString('base64');

export const openQuestion = ({ barrier }: Barrier, id: string, text: string): Question =>
  questionShape.parse(JSON.parse(barrier.open(Buffer.from(text, 'base64'), `asks/${id}`).toString()));

export const sealReply = ({ barrier }: Barrier, id: string, reply: Reply): string =>
  barrier.seal(JSON.stringify(reply), `answers/${id}`).toString('base64');

export const openReply = ({ barrier }: Barrier, id: string, text: string): Reply =>
  replyShape.parse(JSON.parse(barrier.open(Buffer.from(text, 'base64'), `answers/${id}`).toString()));

/** The reply for an error that the caller may see; others say nothing. */
export function failedReply(cause: unknown): Reply {
  const kind = kinds.find((known) => cause instanceof AppError && cause.kind === known);
  if (kind === undefined || !(cause instanceof AppError)) {
    return { kind: 'internal', messages: ['the worker failed unexpectedly: see its log'], problems: [] };
  }
  return { kind, messages: [...cause.messages], problems: [...cause.problemsIn(canonical)] };
}

/** @throws AppError when the worker could not answer */
export function reportOf(reply: Reply): z.infer<typeof reportShape> {
  if ('report' in reply) return reply.report;
  throw errorOf(reply);
}

/** @throws AppError when the worker could not answer */
export function plannedOf(reply: Reply): Extract<Reply, { planned: unknown }> {
  if ('planned' in reply) return reply;
  throw errorOf(reply);
}

/** @throws AppError when the worker could not answer */
export function foreignOf(reply: Reply): Extract<Reply, { foreign: unknown }> {
  if ('foreign' in reply) return reply;
  throw errorOf(reply);
}

const canonical = (name: string): string => name;

function errorOf(reply: Reply): AppError {
  if (!('messages' in reply)) return new AppError('internal', 'the worker answered another question');
  const problems = reply.problems.map(({ field, message }) => problemOf(field, message));
  return new AppError(reply.kind, reply.messages, { problems });
}
