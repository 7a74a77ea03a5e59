import type { Reply } from '../../../path/row.ts';
import type { Exchange } from './exchange.ts';

/**
 * The stages of a request in their order, and the only list of it. A request goes through the first ones until one of them
 * refuses it or `run` has given the reply; what came of it then goes through the others.
 */
export const stageOrder = {
  before: ['address', 'authenticate', 'authorise', 'audit-request', 'run'],
  after: ['lease', 'wrap', 'audit-reply'],
} as const;

/** A step of every request. Several may have one name; those of the pipeline itself come first there. */
export type Stage = StageBefore | StageAfter;

export interface StageBefore {
  readonly at: (typeof stageOrder.before)[number];
  /** What it throws refuses the request: no later stage of this kind begins. */
  readonly before: (exchange: Exchange) => Promise<void> | void;
}

export interface StageAfter {
  readonly at: (typeof stageOrder.after)[number];
  /** Absent: every request does. A request that concerns no stage costs nothing here. */
  readonly concerns?: (exchange: Exchange) => boolean;
  /**
   * Sees what came of every request that could be read, refusals included, and answers what is to come of it. What it throws
   * becomes the outcome.
   */
  readonly after: (exchange: Exchange, outcome: Outcome) => Promise<Outcome> | Outcome;
}

/** What came of a request: the reply, or what a stage has thrown. */
export type Outcome = { readonly reply: Reply } | { readonly error: unknown };

/** Stages by when they run. */
export interface StagePlan {
  /** What is done before a large body is read: all that needs no more than the head. */
  readonly admission: readonly StageBefore[];
  /** What is done when the data is there. */
  readonly answering: readonly StageBefore[];
  /** Both, for requests without a large body. */
  readonly whole: readonly StageBefore[];
  readonly after: readonly StageAfter[];
}

const answeringFrom = stageOrder.before.indexOf('authorise');

/** The plan of these stages: by the order of their names, and as they are given where they share one. */
export function planStages(stages: readonly Stage[]): StagePlan {
  const at = (id: Stage['at']) => stages.filter((stage) => stage.at === id);
  const before = (ids: readonly StageBefore['at'][]) => ids.flatMap(at).filter((stage) => 'before' in stage);
  return {
    admission: before(stageOrder.before.slice(0, answeringFrom)),
    answering: before(stageOrder.before.slice(answeringFrom)),
    whole: before(stageOrder.before),
    after: stageOrder.after.flatMap(at).filter((stage) => 'after' in stage),
  };
}

/** A stage that does not wait costs no turn of the event loop. */
export async function runBefore(stages: readonly StageBefore[], exchange: Exchange): Promise<void> {
  for (const stage of stages) {
    const pending = stage.before(exchange);
    if (pending !== undefined) await pending;
  }
}

/** Never rejects. */
export async function runAfter(stages: readonly StageAfter[], exchange: Exchange, outcome: Outcome): Promise<Outcome> {
  let current = outcome;
  for (const stage of stages) {
    if (stage.concerns?.(exchange) === false) continue;
    try {
      current = await stage.after(exchange, current);
    } catch (error) {
      current = { error };
    }
  }
  return current;
}
