import type { Exchange, Outcome } from './exchange.ts';

/**
 * The stages of a request, in their order. A request passes the stages of `before` until one of them refuses it or `run` has
 * replied; the outcome then passes the stages of `after`.
 */
export const stageOrder = {
  before: ['address', 'authenticate', 'authorise', 'audit-request', 'run'],
  after: ['lease', 'wrap', 'audit-reply'],
} as const;

/** A step of every request. Several may share a name; the pipeline's own come first. */
export type Stage = StageBefore | StageAfter;

export interface StageBefore {
  readonly at: (typeof stageOrder.before)[number];
  /** Throws to refuse the request; later stages of `before` then do not run. */
  readonly before: (exchange: Exchange) => Promise<void> | void;
}

export interface StageAfter {
  readonly at: (typeof stageOrder.after)[number];
  /** Whether the stage must see this request; absent when it sees every request. */
  readonly concerns?: (exchange: Exchange) => boolean;
  /**
   * Receives the outcome of every request that could be read, refusals included, and returns the outcome for the next stage. An
   * error that it throws becomes the outcome.
   */
  readonly after: (exchange: Exchange, outcome: Outcome) => Promise<Outcome> | Outcome;
}

/** The stages, grouped by when they run. */
export interface StagePlan {
  /** Run before a large body is read; they need only the head. */
  readonly admission: readonly StageBefore[];
  /** Run once the data have been read. */
  readonly answering: readonly StageBefore[];
  /** Both of them, for requests without a large body. */
  readonly whole: readonly StageBefore[];
  readonly after: readonly StageAfter[];
}

const answeringFrom = stageOrder.before.indexOf('authorise');

/** Orders stages by their names; stages of one name keep the given order. */
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

/** Awaits only stages that return a promise, so that the others do not cost a turn of the event loop. */
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
